# Written by tools/write_models.R from the registry: change that, not this.

#' Least-squares conditional density estimation: a nonnegative mixture of Gaussian kernels
#'
#' The model `lscde` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param bandwidth `numbers`, in `(0, Inf)`. Gaussian width in x, on the standardised scale: one number, or
#'   candidates for cross-validation. Default: 0.1, 0.2, 0.4, 0.8, 1.6, 3.2; of preset "paper": 0.01, 0.02, 0.05,
#'   0.1, 0.2, 0.5, 1, 2, 5, 10.
#' @param bandwidth_y `numbers`, in `(0, Inf)`. Gaussian width in y: one number, candidates, or none: the same width
#'   as for x. Default: 0.025, 0.05, 0.1, 0.2, 0.4, 0.8; of preset "paper": none.
#' @param regularization `numbers`, in `(0, Inf)`. Ridge penalty lambda on the coefficients: one number, or
#'   candidates for cross-validation. Default: 1e-04, 0.001, 0.01, 0.1, 1, 10; of preset "paper": 0.01, 0.02, 0.05,
#'   0.1, 0.2, 0.5, 1, 2, 5, 10.
#' @param refine `boolean`. Search again between the best candidate and its neighbours, and for x beyond the end of
#'   the list. Default: TRUE; of preset "paper": FALSE.
#' @param n_centers `integer`, in `[1, Inf)`. Number of kernel centres drawn from the samples (all samples when there
#'   are fewer). Default: 300; of preset "paper": 100.
#' @param max_centers `integer`, in `[1, Inf)`. Where widths or regularization are chosen, double the centres up to
#'   so many, at most a quarter of the rows, as long as rows left out gain. Default: 2400; of preset "paper": 1.
#' @param center_selection `choice`, random or kmeans. How centres are drawn: at random, or spread over the data by
#'   k-means++. Default: "kmeans"; of preset "paper": "random".
#' @param centers `matrix`. Given centres \[x, y\] on the scale of the data; overrides n_centers and
#'   center_selection. Default: none.
#' @param mask_centers `boolean`. In cross-validation, leave out the centres that are samples of the held-out fold.
#'   Default: TRUE; of preset "paper": FALSE.
#' @param metric `choice`, none or nw or auto. Scale each input by a width that the Nadaraya-Watson likelihood learns
#'   (nw), or (auto) only where bandwidth is chosen and that raises the held-out likelihood by more than its standard
#'   error. Default: "auto"; of preset "paper": "none".
#' @param coefficients `choice`, clipped or nonnegative. Clip the ridge solution at zero (eq. 7), or solve with the
#'   constraint (footnote 2). Default: "clipped".
#' @param penalty `choice`, coefficients or function. What regularization makes small: the coefficients, or the norm
#'   of the ratio in the function space of the kernels (footnote 1, section 5). Default: "coefficients".
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param scoring `choice`, nll or squared. Score of cross-validation: negative log-likelihood, or squared error of
#'   the density. Default: "nll".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`input_widths`}{Factor of the bandwidth for every input, learned by the option metric, or 1. Of shape
#'     (n_inputs,).}
#'   \item{`bandwidth`}{Gaussian width in x that was used, on the standardised scale.}
#'   \item{`bandwidth_y`}{Gaussian width in y that was used, on the standardised scale.}
#'   \item{`regularization`}{Ridge penalty that was used.}
#'   \item{`kernel_weights`}{Coefficient alpha of the kernel at every centre, >= 0. Of shape (n_centers,).}
#'   \item{`centers_x`}{Inputs of the centres, on the scale of the data. Of shape (n_centers, n_inputs).}
#'   \item{`centers_y`}{Targets of the centres, on the scale of the data. Of shape (n_centers, n_targets).}
#' }
#' @source Sugiyama, Takeuchi, Suzuki, Kanamori, Hachiya and Okanohara (2010)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- lscde(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' @export
lscde <- function(x, ..., bandwidth = NULL, bandwidth_y = NULL, regularization = NULL, refine = NULL, n_centers =
                  NULL, max_centers = NULL, center_selection = NULL, centers = NULL, mask_centers = NULL, metric =
                  NULL, coefficients = NULL, penalty = NULL, defensive_weight = NULL, scoring = NULL, cv = NULL,
                  standardize = NULL) {
  given <- list(bandwidth = bandwidth, bandwidth_y = bandwidth_y, regularization = regularization, refine = refine,
                n_centers = n_centers, max_centers = max_centers, center_selection = center_selection, centers =
                centers, mask_centers = mask_centers, metric = metric, coefficients = coefficients, penalty =
                penalty, defensive_weight = defensive_weight, scoring = scoring, cv = cv, standardize =
                standardize)
  fit_model("lscde", sys.call(), given, x, ...)
}

#' Sparse additive conditional density estimation: selects the inputs that matter
#'
#' The model `sacde` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param bandwidth `numbers`, in `(0, Inf)`. Gaussian width in x, on the standardised scale: one number, or
#'   candidates for cross-validation. Default: 0.125, 0.25, 0.5, 1, 2; of preset "paper": 0.01, 0.01322, 0.01747,
#'   0.02308, 0.03051, 0.04032, 0.05329, 0.07043, 0.09308, 0.123, 0.1626, 0.2149, 0.284, 0.3753, 0.496, 0.6555,
#'   0.8664, 1.145, 1.513, 2.
#' @param bandwidth_y `numbers`, in `(0, Inf)`. Gaussian width in y: one number, candidates, or none: the same width
#'   as for x. Default: 0.05, 0.1, 0.2, 0.4, 0.8; of preset "paper": none.
#' @param regularization `numbers`, in `(0, Inf)`. Penalty lambda on the norm of every input's coefficients: one
#'   number, or candidates. Default: 1, 0.9, 0.75, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.12, 0.09, 0.07, 0.05, 0.04,
#'   0.03, 0.022, 0.016, 0.012, 0.008, 0.005; of preset "paper": 0.01, 0.01322, 0.01747, 0.02308, 0.03051, 0.04032,
#'   0.05329, 0.07043, 0.09308, 0.123, 0.1626, 0.2149, 0.284, 0.3753, 0.496, 0.6555, 0.8664, 1.145, 1.513, 2.
#' @param regularization_scale `choice`, relative or absolute. Whether regularization is a share of the smallest
#'   lambda that selects nothing, or lambda itself. Default: "relative"; of preset "paper": "absolute".
#' @param adaptive `boolean`. Fit twice: the second fit penalises every input by the inverse of its norm in the
#'   first. Default: TRUE; of preset "paper": FALSE.
#' @param first_regularization `numbers`, in `(0, Inf)`. Penalty of the first fit (adaptive): one number, candidates,
#'   or none: those of regularization. Default: none.
#' @param selection_rule `choice`, minimum or one_standard_error. The lambda of the least score, or the largest
#'   within one standard error of it, at the best widths; a second fit takes the least score. Default:
#'   "one_standard_error"; of preset "paper": "minimum".
#' @param constant_group `boolean`. Add a term without inputs and without penalty, so that no input enters to carry
#'   the marginal of y. Default: TRUE; of preset "paper": FALSE.
#' @param n_centers `integer`, in `[1, Inf)`. Number of kernel centres drawn from the samples (all samples when there
#'   are fewer). Default: 100.
#' @param center_selection `choice`, random or kmeans. How centres are drawn: at random, or spread over the data by
#'   k-means++. Default: "kmeans"; of preset "paper": "random".
#' @param centers `matrix`. Given centres \[x, y\] on the scale of the data; overrides n_centers and
#'   center_selection. Default: none.
#' @param mask_centers `boolean`. In cross-validation, leave out the centres that are samples of the held-out fold.
#'   Default: TRUE; of preset "paper": FALSE.
#' @param solver `choice`, exact or truncated. Solve to a certified duality gap, or stop the paper's iteration after
#'   50 steps as its authors did. Default: "exact".
#' @param tolerance `number`, in `[1e-12, 0.1]`. Duality gap at which a solution is accepted, relative to its
#'   objective (solver exact). Default: 1e-06.
#' @param stop_early `boolean`. End a path of falling penalties that has risen three times in a row or lags behind
#'   those of wider kernels. Default: TRUE; of preset "paper": FALSE.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param scoring `choice`, nll or squared. Score of cross-validation: negative log-likelihood, or squared error of
#'   the density. Default: "nll".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param groups `numbers`, in `[0, Inf)`. Group number of every input: inputs of one number enter or stay out
#'   together, with kernels of them all, so that they may act together (none: each input is its own group). Default:
#'   none.
#' @param screening `integer`, in `[0, Inf)`. Number of inputs on which y depends most by rank tests of location and
#'   spread, the only ones to take part (0: all). Default: 0.
#' @param search_inputs `integer`, in `[0, Inf)`. Of more inputs than this, widths are chosen with so many, those
#'   that screening would take, and the path of those widths is that of all inputs (0: widths are compared with all
#'   inputs). Default: 100; of preset "paper": 0.
#' @param stability_resamples `integer`, in `[0, 10000]`. Number of random half-samples, in complementary pairs, on
#'   which the fit is repeated at the chosen widths, to see which inputs return. Default: 0.
#' @param stability_bound `number`, in `[0, Inf)`. Select the inputs that return in stability_threshold of the
#'   half-samples, each of which selects so few that at most this many irrelevant ones are expected (0: selected by
#'   the path of all rows). Default: 0.
#' @param stability_threshold `number`, in `(0.5, 1]`. Share of half-samples from which on an input is selected
#'   (stability_bound). Default: 0.75.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`bandwidth`}{Gaussian width in x that was used, on the standardised scale.}
#'   \item{`bandwidth_y`}{Gaussian width in y that was used, on the standardised scale.}
#'   \item{`regularization`}{Penalty lambda that was used.}
#'   \item{`kernel_weights`}{Coefficients alpha of every input (group of inputs) at every centre, >= 0. Of shape
#'     (n_terms, n_centers).}
#'   \item{`constant_weights`}{Coefficients of the term without inputs at every centre. Of shape (n_centers,).}
#'   \item{`support`}{1 for every column of x whose input is selected, else 0. Of shape (n_features,).}
#'   \item{`feature_importances`}{Norm of every input's coefficients, as a share of their sum. Of shape
#'     (n_features,).}
#'   \item{`stability`}{Share of half-samples in which a column's input is selected (empty unless asked for). Of
#'     shape (n_features,).}
#'   \item{`centers_x`}{Inputs of the centres, on the scale of the data. Of shape (n_centers, n_inputs).}
#'   \item{`centers_y`}{Targets of the centres, on the scale of the data. Of shape (n_centers, n_targets).}
#' }
#' @source Shiga, Tangkaratt and Sugiyama (2015)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' \donttest{
#' fit <- sacde(mpg ~ wt + hp + qsec, mtcars, seed = 1)
#' predict(fit, mtcars[1:3, ], type = "interval")
#' }
#' @export
sacde <- function(x, ..., bandwidth = NULL, bandwidth_y = NULL, regularization = NULL, regularization_scale = NULL,
                  adaptive = NULL, first_regularization = NULL, selection_rule = NULL, constant_group = NULL,
                  n_centers = NULL, center_selection = NULL, centers = NULL, mask_centers = NULL, solver = NULL,
                  tolerance = NULL, stop_early = NULL, defensive_weight = NULL, scoring = NULL, cv = NULL, groups =
                  NULL, screening = NULL, search_inputs = NULL, stability_resamples = NULL, stability_bound = NULL,
                  stability_threshold = NULL, standardize = NULL) {
  given <- list(bandwidth = bandwidth, bandwidth_y = bandwidth_y, regularization = regularization,
                regularization_scale = regularization_scale, adaptive = adaptive, first_regularization =
                first_regularization, selection_rule = selection_rule, constant_group = constant_group, n_centers =
                n_centers, center_selection = center_selection, centers = centers, mask_centers = mask_centers,
                solver = solver, tolerance = tolerance, stop_early = stop_early, defensive_weight =
                defensive_weight, scoring = scoring, cv = cv, groups = groups, screening = screening, search_inputs
                = search_inputs, stability_resamples = stability_resamples, stability_bound = stability_bound,
                stability_threshold = stability_threshold, standardize = standardize)
  fit_model("sacde", sys.call(), given, x, ...)
}

#' LSCDE on the inputs that sparse additive conditional density estimation selects
#'
#' The model `salscde` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param start `choice`, additive or empty. What selects first: the additive model, or nothing: then inputs enter by
#'   residual_level alone. Default: "additive".
#' @param selection `options`. Options of the selection: those of sacde, but for the three below. Default: those of
#'   the model inside.
#' @param options `options`. Options of the model of the selected inputs: those of lscde, but for the three below.
#'   Default: those of the model inside.
#' @param least_norm `number`, in `[0, 1)`. Take the inputs whose coefficients in the selection have a norm above
#'   this share of the largest. Default: 0.
#' @param residual_level `number`, in `[0, 1)`. Add inputs on which held-out residuals of the model depend, by rank
#'   tests of location and spread at this family-wise level each time, and fit again (0: none; not given with
#'   start=empty: 0.05). Default: 0.
#' @param scoring `choice`, nll or squared. Score of cross-validation: negative log-likelihood, or squared error of
#'   the density. Default: "nll".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`support`}{1 for every column of x whose input is selected, else 0. Of shape (n_features,).}
#'   \item{`feature_importances`}{Norm of every input's coefficients in the selection, as a share of their sum. Of
#'     shape (n_features,).}
#'   \item{`stability`}{Share of half-samples in which a column's input is selected (empty unless asked for). Of
#'     shape (n_features,).}
#'   \item{`bandwidth`}{Gaussian width in x that was used, on the standardised scale.}
#'   \item{`bandwidth_y`}{Gaussian width in y that was used, on the standardised scale.}
#'   \item{`regularization`}{Ridge penalty that was used.}
#'   \item{`kernel_weights`}{Coefficient alpha of the kernel at every centre, >= 0. Of shape (n_centers,).}
#'   \item{`centers_x`}{Selected inputs of the centres, on the scale of the data. Of shape (n_centers, n_selected).}
#'   \item{`centers_y`}{Targets of the centres, on the scale of the data. Of shape (n_centers, n_targets).}
#' }
#' @source Shiga, Tangkaratt and Sugiyama (2015), section 3.1
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' \donttest{
#' fit <- salscde(mpg ~ wt + hp + qsec, mtcars, seed = 1)
#' predict(fit, mtcars[1:3, ], type = "interval")
#' }
#' @export
salscde <- function(x, ..., start = NULL, selection = NULL, options = NULL, least_norm = NULL, residual_level = NULL,
                    scoring = NULL, cv = NULL) {
  given <- list(start = start, selection = selection, options = options, least_norm = least_norm, residual_level =
                residual_level, scoring = scoring, cv = cv)
  fit_model("salscde", sys.call(), given, x, ...)
}

#' Least-squares conditional entropy: the few directions z = W x that matter, and LSCDE on z
#'
#' The model `lsce` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param n_components `numbers`, in `[1, Inf)`. Dimensions of z: one number, candidates, or none: 1, 2, ... as long
#'   as the held-out score improves. Default: none.
#' @param selection_rule `choice`, minimum or one_standard_error. The number of components of the least score, or the
#'   smallest within one standard error of it. Default: "one_standard_error"; of preset "paper": "minimum".
#' @param sparse `boolean`. Let inputs leave the directions, those of the smallest loadings first, as far as the
#'   score of rows left out allows: their loadings are exactly zero. Default: FALSE.
#' @param bandwidth `numbers`, in `(0, Inf)`. Gaussian width in z while W is searched: one number, or candidates for
#'   cross-validation. Default: 0.1, 0.2, 0.4, 0.8, 1.6, 3.2; of preset "paper": 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1,
#'   2, 5, 10.
#' @param bandwidth_y `numbers`, in `(0, Inf)`. Gaussian width in y: one number, candidates, or none: the same width
#'   as for z. Default: 0.05, 0.1, 0.2, 0.4, 0.8; of preset "paper": none.
#' @param regularization `numbers`, in `(0, Inf)`. Ridge penalty lambda on the coefficients: one number, or
#'   candidates for cross-validation. Default: 1e-05, 1e-04, 0.001, 0.01, 0.1, 1; of preset "paper": 0.01, 0.02,
#'   0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10.
#' @param n_centers `integer`, in `[1, Inf)`. Number of kernel centres of the search, drawn from the samples (all
#'   samples when there are fewer). Default: 200; of preset "paper": 100.
#' @param center_selection `choice`, random or kmeans. How centres are drawn: at random, or spread over the data by
#'   k-means++. Default: "kmeans"; of preset "paper": "random".
#' @param centers `matrix`. Given centres \[x, y\] on the scale of the data; overrides n_centers and
#'   center_selection. Default: none.
#' @param mask_centers `boolean`. In cross-validation, leave out the centres that are samples of the held-out fold.
#'   Default: TRUE; of preset "paper": FALSE.
#' @param criterion `choice`, plug_in or envelope. What W minimises: the paper's estimate of SCE, or the penalised
#'   least-squares value itself. Default: "plug_in".
#' @param optimizer `choice`, lbfgs or steepest. Quasi-Newton steps, or the paper's steepest descent along geodesics.
#'   Default: "lbfgs"; of preset "paper": "steepest".
#' @param informed_starts `boolean`. Start from SIR, SAVE, learned Nadaraya-Watson metrics and the subspace of fewer
#'   dimensions, too. Default: TRUE; of preset "paper": FALSE.
#' @param start_directions `matrix`. Directions to start from, too, in units of the data: each a number for every
#'   input. Default: none.
#' @param random_starts `integer`, in `[0, 10000]`. Number of random starts. Default: 16; of preset "paper": 20.
#' @param tuning `choice`, common or own. Widths and regularisation common to all starts, chosen at the leading one,
#'   or own ones for each. Default: "common"; of preset "paper": "own".
#' @param steps_per_tuning `integer`, in `[1, Inf)`. Steps of the search between two choices of widths and
#'   regularisation. Default: 20; of preset "paper": 5.
#' @param max_steps `integer`, in `[1, Inf)`. Most steps of the search from each start. Default: 200.
#' @param max_search_rows `integer`, in `[0, Inf)`. Of more rows than this W is searched on as many drawn at random;
#'   the density is of all (0: all). Default: 15000; of preset "paper": 0.
#' @param density `choice`, refit or same. Density of y given z: LSCDE that chooses its own centres and widths, or
#'   with those of the search. Default: "refit"; of preset "paper": "same".
#' @param keep_best `boolean`. When interrupted, finish with the best subspace found so far instead of giving up.
#'   Default: FALSE.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param scoring `choice`, nll or squared. Score of cross-validation: negative log-likelihood, or squared error of
#'   the density (while W is searched: always). Default: "nll"; of preset "paper": "squared".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`components`}{Directions W, one a row, orthonormal on the standardised scale of x; z = W x. Of shape
#'     (n_components, n_inputs).}
#'   \item{`n_components`}{Number of directions.}
#'   \item{`bandwidth`}{Gaussian width in z of the search, on the standardised scale.}
#'   \item{`bandwidth_y`}{Gaussian width in y of the search, on the standardised scale.}
#'   \item{`regularization`}{Ridge penalty of the search.}
#'   \item{`sce`}{Estimate of the squared-loss conditional entropy of y given z (less is better).}
#' }
#' @source Tangkaratt, Xie and Sugiyama (2015)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' \donttest{
#' fit <- lsce(mpg ~ wt + hp + qsec, mtcars, seed = 1)
#' predict(fit, mtcars[1:3, ], type = "interval")
#' }
#' @export
lsce <- function(x, ..., n_components = NULL, selection_rule = NULL, sparse = NULL, bandwidth = NULL, bandwidth_y =
                 NULL, regularization = NULL, n_centers = NULL, center_selection = NULL, centers = NULL, mask_centers
                 = NULL, criterion = NULL, optimizer = NULL, informed_starts = NULL, start_directions = NULL,
                 random_starts = NULL, tuning = NULL, steps_per_tuning = NULL, max_steps = NULL, max_search_rows =
                 NULL, density = NULL, keep_best = NULL, defensive_weight = NULL, scoring = NULL, cv = NULL,
                 standardize = NULL) {
  given <- list(n_components = n_components, selection_rule = selection_rule, sparse = sparse, bandwidth =
                bandwidth, bandwidth_y = bandwidth_y, regularization = regularization, n_centers = n_centers,
                center_selection = center_selection, centers = centers, mask_centers = mask_centers, criterion =
                criterion, optimizer = optimizer, informed_starts = informed_starts, start_directions =
                start_directions, random_starts = random_starts, tuning = tuning, steps_per_tuning =
                steps_per_tuning, max_steps = max_steps, max_search_rows = max_search_rows, density = density,
                keep_best = keep_best, defensive_weight = defensive_weight, scoring = scoring, cv = cv, standardize
                = standardize)
  fit_model("lsce", sys.call(), given, x, ...)
}

#' Nadaraya-Watson conditional density: a Gaussian at every sample, with a width learned for every input
#'
#' The model `nw` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param metric `choice`, isotropic or diagonal or full or auto. One width for all inputs, one for each, a full
#'   matrix W that maps x before distances are taken, or (auto) one for each where that raises the held-out
#'   likelihood by more than its standard error. Default: "auto"; of preset "paper": "isotropic".
#' @param bandwidth `numbers`, in `(0, Inf)`. Gaussian width in x, on the standardised scale: none (learned), one
#'   number, candidates (isotropic, auto), or one number for each input (diagonal). Default: none; of preset "paper":
#'   0.01, 0.01322, 0.01747, 0.02308, 0.03051, 0.04032, 0.05329, 0.07043, 0.09308, 0.123, 0.1626, 0.2149, 0.284,
#'   0.3753, 0.496, 0.6555, 0.8664, 1.145, 1.513, 2.
#' @param bandwidth_y `numbers`, in `(0, Inf)`. Gaussian width in y: none (learned), one number, or candidates beside
#'   given widths in x. Default: none.
#' @param common_bandwidth `boolean`. One width for x and y (with bandwidth given), as in the paper. Default: FALSE;
#'   of preset "paper": TRUE.
#' @param bandwidth_y_floor `number`, in `(0, Inf)`. Smallest width in y that is learned, in standard deviations of
#'   y: ties in y would make it vanish. Default: 0.01.
#' @param n_centers `integer`, in `[0, Inf)`. Number of samples, drawn at random, that carry a kernel (0: all).
#'   Default: 0; of preset "paper": 100.
#' @param centers `matrix`. Given centres \[x, y\] on the scale of the data, used instead of the samples. Default:
#'   none.
#' @param metric_rows `integer`, in `[2, Inf)`. Of more centres than this, a random subset of this size chooses the
#'   widths. Default: 4000.
#' @param merge_copies `boolean`. Rows that are equal in x and y leave together in the leave-one-out likelihood.
#'   Default: TRUE; of preset "paper": FALSE.
#' @param starts `integer`, in `[1, 10000]`. Searches from different starting widths, of which the best is kept.
#'   Default: 1.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`bandwidths`}{Gaussian width of every input, on the standardised scale (with a full metric: where it
#'     started). Of shape (n_inputs,).}
#'   \item{`bandwidth_y`}{Gaussian width in y, on the standardised scale.}
#'   \item{`metric_matrix`}{W of a full metric, on the standardised scale; empty otherwise. Of shape (n_directions,
#'     n_inputs).}
#'   \item{`feature_importances`}{Share of every input in the sum of 1 / bandwidth (standardised); 0: plays no part.
#'     Of shape (n_features,).}
#'   \item{`centers_x`}{Inputs of the centres, on the scale of the data. Of shape (n_centers, n_inputs).}
#'   \item{`centers_y`}{Targets of the centres, on the scale of the data. Of shape (n_centers, n_targets).}
#' }
#' @source Holmes, Gray and Isbell (2007); Shiga, Tangkaratt and Sugiyama (2015)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- nw(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' @export
nw <- function(x, ..., metric = NULL, bandwidth = NULL, bandwidth_y = NULL, common_bandwidth = NULL,
               bandwidth_y_floor = NULL, n_centers = NULL, centers = NULL, metric_rows = NULL, merge_copies = NULL,
               starts = NULL, defensive_weight = NULL, standardize = NULL) {
  given <- list(metric = metric, bandwidth = bandwidth, bandwidth_y = bandwidth_y, common_bandwidth =
                common_bandwidth, bandwidth_y_floor = bandwidth_y_floor, n_centers = n_centers, centers = centers,
                metric_rows = metric_rows, merge_copies = merge_copies, starts = starts, defensive_weight =
                defensive_weight, standardize = standardize)
  fit_model("nw", sys.call(), given, x, ...)
}

#' Epsilon-neighbour kernel density estimation: the y of the samples whose x is near
#'
#' The model `ekde` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param radius `numbers`, in `(0, Inf)`. Threshold of the neighbourhood, on the standardised scale: one number, or
#'   candidates. Default: 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2; of preset "paper": 0.01, 0.01387, 0.01924, 0.02668,
#'   0.037, 0.05132, 0.07117, 0.09871, 0.1369, 0.1899, 0.2633, 0.3652, 0.5065, 0.7025, 0.9743, 1.351, 1.874, 2.599,
#'   3.605, 5.
#' @param radius_of `choice`, distance or squared_distance. What the radius bounds: the distance (Sugiyama et al.
#'   2010), or its square (Shiga et al. 2015). Default: "distance"; of preset "paper": "squared_distance".
#' @param bandwidth_y `numbers`, in `(0, Inf)`. Gaussian width in y, on the standardised scale: one number, or
#'   candidates. Default: 0.025, 0.05, 0.1, 0.2, 0.4, 0.8; of preset "paper": 0.01, 0.01322, 0.01747, 0.02308,
#'   0.03051, 0.04032, 0.05329, 0.07043, 0.09308, 0.123, 0.1626, 0.2149, 0.284, 0.3753, 0.496, 0.6555, 0.8664, 1.145,
#'   1.513, 2.
#' @param refine `boolean`. Search again between the best candidate and its neighbours. Default: TRUE; of preset
#'   "paper": FALSE.
#' @param empty_neighborhood `choice`, nearest or all. Where no sample is within the radius: the samples at the
#'   smallest distance, or all samples. Default: "nearest".
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param scoring `choice`, nll or squared. Score of cross-validation: negative log-likelihood, or squared error of
#'   the density. Default: "nll".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param max_scored_rows `integer`, in `[0, Inf)`. Of more held-out rows than this, as many drawn at random score
#'   the candidates (0: all do). Default: 2000; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`radius`}{Threshold that was used, on the standardised scale.}
#'   \item{`bandwidth_y`}{Gaussian width in y that was used, on the standardised scale.}
#'   \item{`n_samples`}{Number of samples that the distributions are made of.}
#' }
#' @source Shiga, Tangkaratt and Sugiyama (2015)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- ekde(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' @export
ekde <- function(x, ..., radius = NULL, radius_of = NULL, bandwidth_y = NULL, refine = NULL, empty_neighborhood =
                 NULL, defensive_weight = NULL, scoring = NULL, cv = NULL, max_scored_rows = NULL, standardize =
                 NULL) {
  given <- list(radius = radius, radius_of = radius_of, bandwidth_y = bandwidth_y, refine = refine,
                empty_neighborhood = empty_neighborhood, defensive_weight = defensive_weight, scoring = scoring, cv
                = cv, max_scored_rows = max_scored_rows, standardize = standardize)
  fit_model("ekde", sys.call(), given, x, ...)
}

#' Ratio of kernel density estimates: that of inputs and target over that of the inputs
#'
#' The model `rkde` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param widths `choice`, equal or separate. Both densities share the widths of x, which the likelihood of y given x
#'   chooses (equal), or each has its own, which its likelihood chooses (separate). Default: "equal"; of preset
#'   "paper": "separate".
#' @param shape `choice`, isotropic or diagonal or auto. One width for all inputs (separate: for all columns of a
#'   density), one for each, or (auto) one for each where that raises the held-out likelihood by more than its
#'   standard error. Default: "auto"; of preset "paper": "isotropic".
#' @param bandwidth `numbers`, in `(0, Inf)`. Gaussian width in x on the standardised scale (separate: of all columns
#'   of the numerator): none (learned), one number, candidates (isotropic, auto), or one for each (diagonal, inputs
#'   first). Default: none; of preset "paper": 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10.
#' @param bandwidth_y `numbers`, in `(0, Inf)`. Gaussian width in y where widths are equal: none (learned, or that of
#'   x if it has candidates), one number, or candidates beside given widths in x. Default: none.
#' @param bandwidth_denominator `numbers`, in `(0, Inf)`. Gaussian width of the denominator where widths are
#'   separate: one number, candidates, one for each input (diagonal), or none: number or candidates of bandwidth,
#'   else learned. Default: none.
#' @param bandwidth_floor `number`, in `(0, Inf)`. Smallest width that is learned (equal: in y), in standard
#'   deviations: ties would make it vanish. Default: 0.01.
#' @param width_rows `integer`, in `[2, Inf)`. Of more rows than this, a random subset of this size chooses the
#'   widths. Default: 4000.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`bandwidths`}{Gaussian width of every input in the numerator, on the standardised scale. Of shape
#'     (n_inputs,).}
#'   \item{`bandwidths_y`}{Gaussian width of every target, on the standardised scale. Of shape (n_targets,).}
#'   \item{`bandwidths_denominator`}{Gaussian width of every input in the denominator, on the standardised scale. Of
#'     shape (n_inputs,).}
#' }
#' @source Sugiyama, Takeuchi, Suzuki, Kanamori, Hachiya and Okanohara (2010)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- rkde(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' @export
rkde <- function(x, ..., widths = NULL, shape = NULL, bandwidth = NULL, bandwidth_y = NULL, bandwidth_denominator =
                 NULL, bandwidth_floor = NULL, width_rows = NULL, defensive_weight = NULL, standardize = NULL) {
  given <- list(widths = widths, shape = shape, bandwidth = bandwidth, bandwidth_y = bandwidth_y,
                bandwidth_denominator = bandwidth_denominator, bandwidth_floor = bandwidth_floor, width_rows =
                width_rows, defensive_weight = defensive_weight, standardize = standardize)
  fit_model("rkde", sys.call(), given, x, ...)
}

#' Gaussian process regression: one Gaussian whose mean and variance follow x
#'
#' The model `gp` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param kernel `choice`, ard or isotropic. Squared exponential with a length scale for every input, or with one for
#'   all. Default: "ard"; of preset "paper": "isotropic".
#' @param length_scales `numbers`, in `(0, Inf)`. Length scales on the standardised scale, one or one for every
#'   input; none: learned. Default: none.
#' @param signal_variance `numbers`, in `(0, Inf)`. Prior variance of the function, one or one for every target;
#'   none: learned. Default: none.
#' @param noise_variance `numbers`, in `(0, Inf)`. Variance of y around the function, one or one for every target;
#'   none: learned. Default: none.
#' @param n_starts `integer`, in `[1, 10000]`. Number of starts of the search for the hyper-parameters. Default: 3;
#'   of preset "paper": 1.
#' @param max_rows `integer`, in `[1, Inf)`. Of more rows than this, as many drawn at random make the process and
#'   learn its length scales and variances: their cost is cubic. Default: 2000; of preset "paper": 5000.
#' @param many_rows `choice`, inducing or subset. What becomes of rows beyond max_rows: the process learns from all
#'   of them through inducing points, those that it is made of, or from these alone (subset). Default: "inducing"; of
#'   preset "paper": "subset".
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`length_scales`}{Length scale of every input for every target, on the standardised scale. Of shape
#'     (n_targets, n_inputs).}
#'   \item{`signal_variance`}{Prior variance of the function for every target, on the standardised scale. Of shape
#'     (n_targets,).}
#'   \item{`noise_variance`}{Variance around the function for every target, on the standardised scale. Of shape
#'     (n_targets,).}
#'   \item{`log_marginal_likelihood`}{Log marginal likelihood of every target, of the rows that make the process, on
#'     the standardised scale. Of shape (n_targets,).}
#'   \item{`feature_importances`}{Inverse length scale of every input as a share of their sum, the mean over targets.
#'     Of shape (n_features,).}
#' }
#' @source Rasmussen and Williams (2006)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- gp(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' @export
gp <- function(x, ..., kernel = NULL, length_scales = NULL, signal_variance = NULL, noise_variance = NULL, n_starts =
               NULL, max_rows = NULL, many_rows = NULL, defensive_weight = NULL, standardize = NULL) {
  given <- list(kernel = kernel, length_scales = length_scales, signal_variance = signal_variance, noise_variance =
                noise_variance, n_starts = n_starts, max_rows = max_rows, many_rows = many_rows, defensive_weight =
                defensive_weight, standardize = standardize)
  fit_model("gp", sys.call(), given, x, ...)
}

#' Predictive state smoothing: x is mapped to weights of a few states, each with its distribution of y
#'
#' The model `press` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param n_states `numbers`, in `[1, 1000]`. Number of predictive states J: one number, or candidates. Default: 1,
#'   2, 3, 4, 6, 8; of preset "paper": 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15.
#' @param criterion `choice`, mse or loocv or gcv or loo or likelihood. What the map is fitted by: squared error in
#'   the sample, by the paper's closed-form or generalised leave-one-out, by the exact leave-one-out at fixed
#'   coefficients, or the leave-one-out likelihood of the density. Default: "likelihood"; of preset "paper": "gcv".
#' @param selection `choice`, aic or cv. What chooses among candidates: AIC, or the likelihood of rows held out in
#'   turn. Default: "cv"; of preset "paper": "aic".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds, or one fold number for every row, for selection by cv.
#'   Default: 5.
#' @param hidden `numbers`, in `[1, 1024]`. Widths of hidden layers between the inputs and the states; none: a linear
#'   map. Default: none.
#' @param activation `choice`, tanh or relu. What the units of hidden layers compute. Default: "tanh".
#' @param smoothness `number`, in `[0, Inf)`. Degrees of freedom that the fit is drawn to, with smoothness_weight.
#'   Default: 0.
#' @param smoothness_weight `number`, in `[0, Inf)`. Weight of the squared distance of the degrees of freedom from
#'   smoothness. Default: 0.
#' @param regularization `numbers`, in `[0, Inf)`. Ridge penalty on the coefficients: half the number times the sum
#'   of their squares; one number, or candidates. Default: 1e-05, 1e-04, 0.001; of preset "paper": 0.
#' @param lasso `numbers`, in `[0, Inf)`. Penalty on the absolute coefficients of the inputs, which makes some
#'   exactly zero: none, one number, or candidates. Default: none.
#' @param start `choice`, informed or random. Starts from classes of y, clusters of the rows and a split of the fit
#'   with fewer states, then random; or random only. Default: "informed"; of preset "paper": "random".
#' @param n_starts `integer`, in `[1, 10000]`. Number of starts, of which the best is kept. Default: 3; of preset
#'   "paper": 1.
#' @param batch_size `integer`, in `[0, Inf)`. Rows of the first batch that starts are tried on, where there are
#'   twice as many or more; the best goes on to four times as many, and so on to all (0: all from the first step).
#'   Default: 5000; of preset "paper": 0.
#' @param holdout `number`, in `[0, 1)`. Share of the rows that does not fit the map but says when to stop (0: none).
#'   Default: 0; of preset "paper": 0.2.
#' @param patience `integer`, in `[1, Inf)`. Steps without a lower squared error of the rows held out after which the
#'   search stops. Default: 500.
#' @param max_iterations `integer`, in `[1, Inf)`. Largest number of steps of a search. Default: 300; of preset
#'   "paper": 2000.
#' @param optimizer `choice`, lbfgs or adam. Quasi-Newton steps on all rows, or stochastic gradients: steps of Adam
#'   on a few rows each. Default: "lbfgs".
#' @param adam_passes `integer`, in `[1, Inf)`. Passes of Adam over the rows. Default: 30.
#' @param minibatch `integer`, in `[10, Inf)`. Rows of a step of Adam. Default: 256.
#' @param learning_rate `number`, in `(0, Inf)`. First step size of Adam, which falls to zero over the passes.
#'   Default: 0.03.
#' @param bandwidth_y `numbers`, in `(0, Inf)`. Gaussian width of the states' densities on the standardised scale:
#'   none (learned), one number, or one for each state. Default: none.
#' @param bandwidth_y_floor `number`, in `(0, Inf)`. Smallest width that is learned, in standard deviations of y, or
#'   half the smallest step between values of y where that is larger: ties in y would make it vanish. Default: 0.01.
#' @param common_bandwidth `boolean`. One width for all states. Default: FALSE; of preset "paper": TRUE.
#' @param corrected_levels `boolean`. Move every state's density to its least-squares level: the paper's means are
#'   drawn to the centre. Default: FALSE.
#' @param compression_tolerance `number`, in `[0, 1)`. Bound on the integral of the absolute error of a state's
#'   density from having fewer kernels than samples (0: none are saved). Default: 0.01; of preset "paper": 0.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param sample_rows `integer`, in `[0, Inf)`. Of more rows than this the fit has as many drawn at random, and then
#'   all in table_steps steps; 0: all rows in memory, 20000 of those that are elsewhere. Default: 0.
#' @param table_steps `integer`, in `[0, Inf)`. Most steps of L-BFGS on all rows, each three passes or some more over
#'   them, after a fit to a sample; 0: none. Default: 20.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`n_states`}{Number of predictive states.}
#'   \item{`state_coef`}{Coefficients of every state's score, on the standardised scale: the intercept, then one for
#'     every input; empty with hidden layers. Of shape (n_states, 1 + n_inputs).}
#'   \item{`standard_errors`}{Standard errors of the coefficients from the observed information of the criterion;
#'     empty where it does not give them. Of shape (n_states, 1 + n_inputs).}
#'   \item{`robust_standard_errors`}{Standard errors of the coefficients by the sandwich formula, which hold whatever
#'     the distribution of the errors; empty where standard_errors are. Of shape (n_states, 1 + n_inputs).}
#'   \item{`state_means`}{Mean of y in every state, states in its order (of the first target). Of shape (n_states,
#'     n_targets).}
#'   \item{`state_levels`}{Level of y in every state by least squares, which mixed rows do not draw to the centre. Of
#'     shape (n_states, n_targets).}
#'   \item{`state_inputs`}{Mean of every input in every state. Of shape (n_states, n_inputs).}
#'   \item{`state_input_variances`}{Variance of every input in every state. Of shape (n_states, n_inputs).}
#'   \item{`state_representatives`}{Inputs of the training row with the largest weight of every state: an example of
#'     it that was observed. Of shape (n_states, n_inputs).}
#'   \item{`state_sizes`}{Weight of the training rows that every state holds. Of shape (n_states,).}
#'   \item{`bandwidths`}{Gaussian width of every state's density, on the standardised scale. Of shape (n_states,).}
#'   \item{`degrees_of_freedom`}{Degrees of freedom of the smoother, between 1 and the number of states: close to it,
#'     the mean is a step function.}
#'   \item{`mean_entropy`}{Mean entropy of the states' weights over the training rows, in bits: 0 where every row's
#'     state is certain.}
#' }
#' @source Goerg (2017)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' \donttest{
#' fit <- press(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' }
#' @export
press <- function(x, ..., n_states = NULL, criterion = NULL, selection = NULL, cv = NULL, hidden = NULL, activation =
                  NULL, smoothness = NULL, smoothness_weight = NULL, regularization = NULL, lasso = NULL, start =
                  NULL, n_starts = NULL, batch_size = NULL, holdout = NULL, patience = NULL, max_iterations = NULL,
                  optimizer = NULL, adam_passes = NULL, minibatch = NULL, learning_rate = NULL, bandwidth_y = NULL,
                  bandwidth_y_floor = NULL, common_bandwidth = NULL, corrected_levels = NULL, compression_tolerance =
                  NULL, defensive_weight = NULL, sample_rows = NULL, table_steps = NULL, standardize = NULL) {
  given <- list(n_states = n_states, criterion = criterion, selection = selection, cv = cv, hidden = hidden,
                activation = activation, smoothness = smoothness, smoothness_weight = smoothness_weight,
                regularization = regularization, lasso = lasso, start = start, n_starts = n_starts, batch_size =
                batch_size, holdout = holdout, patience = patience, max_iterations = max_iterations, optimizer =
                optimizer, adam_passes = adam_passes, minibatch = minibatch, learning_rate = learning_rate,
                bandwidth_y = bandwidth_y, bandwidth_y_floor = bandwidth_y_floor, common_bandwidth =
                common_bandwidth, corrected_levels = corrected_levels, compression_tolerance =
                compression_tolerance, defensive_weight = defensive_weight, sample_rows = sample_rows, table_steps
                = table_steps, standardize = standardize)
  fit_model("press", sys.call(), given, x, ...)
}

#' Kernel quantile regression: quantile functions of x, solved exactly, and the density between them
#'
#' The model `kqr` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param quantile_levels `numbers`, in `(0, 1)`. Levels of the quantiles that are estimated, ascending; one alone is
#'   possible. Default: 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85,
#'   0.9, 0.95.
#' @param bandwidth `numbers`, in `(0, Inf)`. Gaussian width in x, on the standardised scale: one number, candidates,
#'   or none: a grid that grows with the square root of the number of inputs. Default: none; of preset "paper": 0.01,
#'   0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10.
#' @param regularization `numbers`, in `[1e-12, Inf)`. Penalty lambda on the squared norm of each quantile function:
#'   one number, candidates, or none: a grid. Default: none; of preset "paper": 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1,
#'   2, 5, 10.
#' @param loss `choice`, mean or sum. What the penalty is added to: the mean loss of the rows, so that a penalty
#'   means the same for any number of rows, or its sum (paper). Default: "mean"; of preset "paper": "sum".
#' @param refine `boolean`. Search again between the best candidate and its neighbours. Default: TRUE; of preset
#'   "paper": FALSE.
#' @param spread `numbers`, in `(0, Inf)`. Standard deviation of the Gaussian of an interval between quantiles, in
#'   lengths of the interval; of one level alone, in standard deviations of a Gaussian with the same pinball loss:
#'   one number, or candidates. Default: 0.4, 0.6, 0.8, 1.2, 2, 3.
#' @param bandwidth_y_floor `numbers`, in `(0, Inf)`. Smallest standard deviation of a component, on the standardised
#'   scale of y: one number, or candidates. Default: 0.01, 0.03, 0.1, 0.2, 0.3.
#' @param scoring `choice`, nll or pinball. Score of cross-validation for bandwidth and regularization: negative
#'   log-likelihood of the distribution, or pinball loss of the quantiles; spread and floor always by the first.
#'   Default: "nll"; of preset "paper": "pinball".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param max_rows `integer`, in `[2, Inf)`. Of more rows than this, as many drawn at random are used: memory is
#'   their square. Default: 1000; of preset "paper": 5000.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`levels`}{Levels of the quantiles. Of shape (n_levels,).}
#'   \item{`bandwidth`}{Gaussian width in x that was used, on the standardised scale.}
#'   \item{`regularization`}{Penalty that was used.}
#'   \item{`spread`}{Standard deviation of a component that was used, in lengths of its interval; of one level alone,
#'     on the standardised scale of y.}
#'   \item{`bandwidth_y_floor`}{Smallest standard deviation of a component that was used, on the standardised scale
#'     of y.}
#'   \item{`centers_x`}{Inputs of the rows that carry a kernel, on the scale of the data. Of shape (n_centers,
#'     n_inputs).}
#'   \item{`kernel_weights`}{Coefficients of the kernels for every level. Of shape (n_levels, n_centers).}
#'   \item{`intercept`}{Constant of every quantile function, on the standardised scale of y. Of shape (n_levels,).}
#'   \item{`relative_gaps`}{Certificate of every level: how far its objective is from the least, as a share of it, at
#'     most. Of shape (n_levels,).}
#' }
#' @source Takeuchi, Le, Sears and Smola (2006); Li, Liu and Zhu (2007)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- kqr(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' @export
kqr <- function(x, ..., quantile_levels = NULL, bandwidth = NULL, regularization = NULL, loss = NULL, refine = NULL,
                spread = NULL, bandwidth_y_floor = NULL, scoring = NULL, cv = NULL, max_rows = NULL, defensive_weight
                = NULL, standardize = NULL) {
  given <- list(quantile_levels = quantile_levels, bandwidth = bandwidth, regularization = regularization, loss =
                loss, refine = refine, spread = spread, bandwidth_y_floor = bandwidth_y_floor, scoring = scoring,
                cv = cv, max_rows = max_rows, defensive_weight = defensive_weight, standardize = standardize)
  fit_model("kqr", sys.call(), given, x, ...)
}

#' Mixture density network: an ensemble of neural networks whose outputs are Gaussian mixtures
#'
#' The model `mdn` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param n_components `numbers`, in `[1, 1000]`. Gaussians of a network at every x: one number, or candidates for
#'   cross-validation; none: 3, or 5 with more than adam_rows rows. Default: none; of preset "paper": 3.
#' @param units `numbers`, in `[1, 1024]`. Units of each hidden layer, of which there are as many as layers says: one
#'   number, or candidates, of which cross-validation takes one; none: 15, 64 with more than adam_rows rows, or 128
#'   with more than ten times as many. Default: none; of preset "paper": 5, 10, 20.
#' @param regularization `numbers`, in `[0, Inf)`. Weight decay: half of it times the squared weights is added to the
#'   mean loss; one number, or candidates for cross-validation; none: 0.01, with more than adam_rows rows as much
#'   less as there are more. Default: none; of preset "paper": 0.
#' @param layers `integer`, in `[0, 10]`. Number of hidden layers, all of the same number of units; 0: 2, or 3 with
#'   more than adam_rows rows. Default: 0; of preset "paper": 1.
#' @param skip `boolean`. Add a linear function of the inputs to every mean that the network puts out. Default: TRUE;
#'   of preset "paper": FALSE.
#' @param residual `boolean`. Let every hidden layer after the first add to what it takes (He et al., 2016). Default:
#'   FALSE.
#' @param input_scores `choice`, auto or none or normal. Take the normal quantile of every input's rank beside the
#'   input, which tames heavy tails; auto: with more than adam_rows rows. Default: "auto"; of preset "paper": "none".
#' @param covariance `choice`, diagonal or spherical. A standard deviation for every target of a component, or one
#'   for all targets. Default: "diagonal"; of preset "paper": "spherical".
#' @param n_members `integer`, in `[1, 10000]`. Number of networks whose densities are averaged. Default: 5; of
#'   preset "paper": 1.
#' @param n_starts `integer`, in `[1, 10000]`. Trainings for each network, from different starts; the best one stays.
#'   Default: 1.
#' @param validation_fraction `number`, in `[0, 1)`. Share of the rows, drawn anew for each network, that decides
#'   when its training stops; 0: all rows train. Default: 0.1; of preset "paper": 0.
#' @param patience `integer`, in `[1, Inf)`. Steps without a lower loss on the validation rows after which training
#'   stops. Default: 50.
#' @param optimizer `choice`, auto or lbfgs or adam. L-BFGS on all rows, Adam on batches of rows, or (auto) Adam for
#'   more than adam_rows rows. Default: "auto"; of preset "paper": "lbfgs".
#' @param max_iterations `integer`, in `[1, Inf)`. Most steps of L-BFGS. Default: 300.
#' @param adam_rows `integer`, in `[1, Inf)`. With more rows than this, auto is Adam, and what is not given suits
#'   many rows. Default: 2000.
#' @param adam_passes `integer`, in `[1, 1e+07]`. Most passes of Adam over the rows. Default: 100.
#' @param batch_size `integer`, in `[1, Inf)`. Rows of one step of Adam. Default: 128.
#' @param learning_rate `number`, in `(0, Inf)`. Of Adam at its first step; it falls to 0 along half a cosine.
#'   Default: 0.003.
#' @param sample_rows `integer`, in `[0, Inf)`. Of more rows than this networks learn from as many drawn at random,
#'   and then from all in table_steps steps; 0: all rows in memory, 500000 of those that are elsewhere. Default: 0.
#' @param table_steps `integer`, in `[0, Inf)`. Most steps of L-BFGS on all rows, each a pass or two over them, after
#'   a training on a sample; 0: none. Default: 10.
#' @param scale_floor `number`, in `[0, Inf)`. Every standard deviation of a component is larger than this share of
#'   the target's spread; 0: 0.03, with more than adam_rows rows less, as the root of their number, but at least
#'   0.003. Default: 0; of preset "paper": 0.03.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`n_components`}{Gaussians of every network.}
#'   \item{`units`}{Units of each hidden layer.}
#'   \item{`regularization`}{Weight decay.}
#'   \item{`n_members`}{Number of networks.}
#'   \item{`n_parameters`}{Numbers that every network learned.}
#'   \item{`parameters`}{Weights and biases of every network. Of shape (n_members, n_parameters).}
#'   \item{`train_nll`}{Mean negative log-likelihood of every network on its training rows, on the standardised
#'     scale. Of shape (n_members,).}
#'   \item{`validation_nll`}{Mean negative log-likelihood of every network on its validation rows, on the
#'     standardised scale; empty when there are none. Of shape (n_members,).}
#' }
#' @source Bishop (1994); Sugiyama et al. (2010), section 3.2
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' \donttest{
#' fit <- mdn(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' }
#' @export
mdn <- function(x, ..., n_components = NULL, units = NULL, regularization = NULL, layers = NULL, skip = NULL,
                residual = NULL, input_scores = NULL, covariance = NULL, n_members = NULL, n_starts = NULL,
                validation_fraction = NULL, patience = NULL, optimizer = NULL, max_iterations = NULL, adam_rows =
                NULL, adam_passes = NULL, batch_size = NULL, learning_rate = NULL, sample_rows = NULL, table_steps =
                NULL, scale_floor = NULL, defensive_weight = NULL, cv = NULL, standardize = NULL) {
  given <- list(n_components = n_components, units = units, regularization = regularization, layers = layers, skip
                = skip, residual = residual, input_scores = input_scores, covariance = covariance, n_members =
                n_members, n_starts = n_starts, validation_fraction = validation_fraction, patience = patience,
                optimizer = optimizer, max_iterations = max_iterations, adam_rows = adam_rows, adam_passes =
                adam_passes, batch_size = batch_size, learning_rate = learning_rate, sample_rows = sample_rows,
                table_steps = table_steps, scale_floor = scale_floor, defensive_weight = defensive_weight, cv = cv,
                standardize = standardize)
  fit_model("mdn", sys.call(), given, x, ...)
}

#' Random forest: the y of the training rows that share a leaf with x, each with a Gaussian around it
#'
#' The model `forest` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param n_trees `integer`, in `[1, 10000]`. Number of trees. Default: 100; of preset "paper": 1000.
#' @param criterion `choice`, variance or density or distribution. What a split is to lower: the variance of y, the
#'   squared loss of its density, or the distance between distributions. Default: "variance".
#' @param min_samples_leaf `numbers`, in `[1, Inf)`. Fewest rows in a leaf, counted by weight: one number, or
#'   candidates, compared on rows that trees did not see. Default: 2, 5, 10, 20, 40; of preset "paper": 10.
#' @param max_features `numbers`, in `[0, 1]`. Share of the inputs, at least one, that are tried for a split: one
#'   number, or candidates. Default: 0.33, 0.67, 1; of preset "paper": 0.3333.
#' @param sample_fraction `number`, in `[0.01, 0.99]`. Share of the rows, drawn without replacement, of which a tree
#'   is made. Default: 0.632.
#' @param max_rows `integer`, in `[1, Inf)`. Most rows of which a tree is made. Default: 100000.
#' @param max_bins `integer`, in `[2, 65000]`. Different values of an input, at most, between which splits are
#'   sought; more are put into bins. Default: 256.
#' @param bandwidth_y `numbers`, in `(0, Inf)`. Gaussian width in y, on the standardised scale: one number, or
#'   candidates. Default: 0.015, 0.02, 0.03, 0.045, 0.065, 0.1, 0.14, 0.2, 0.3, 0.45, 0.65, 1.
#' @param sensitivity `numbers`, in `[0, 1]`. How the width follows the spread of y at x: 0 not at all, 1 in
#'   proportion; or candidates. Default: 0, 0.5, 1; of preset "paper": 0.
#' @param n_atoms `integer`, in `[2, 10000]`. Gaussians that stand for the y of the rows: equal y share one, and of
#'   more different y than this close ones do. Default: 500.
#' @param tuning_rows `integer`, in `[10, Inf)`. Most rows on which candidates are compared and importances are
#'   computed. Default: 10000.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`bandwidth_y`}{Gaussian width in y that was used, on the standardised scale.}
#'   \item{`sensitivity`}{Power of the spread with which the width goes.}
#'   \item{`min_samples_leaf`}{Fewest rows in a leaf that were used.}
#'   \item{`max_features`}{Share of the inputs that were tried for a split.}
#'   \item{`n_trees`}{Number of trees.}
#'   \item{`feature_importances`}{What the log score loses when an input is shuffled, as a share of all. Of shape
#'     (n_inputs,).}
#'   \item{`atoms`}{Places of the Gaussians in y, on the scale of the data. Of shape (n_atoms, n_targets).}
#' }
#' @source Meinshausen (2006); Pospisil and Lee (2018); Cevid et al. (2022)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- forest(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' @export
forest <- function(x, ..., n_trees = NULL, criterion = NULL, min_samples_leaf = NULL, max_features = NULL,
                   sample_fraction = NULL, max_rows = NULL, max_bins = NULL, bandwidth_y = NULL, sensitivity = NULL,
                   n_atoms = NULL, tuning_rows = NULL, defensive_weight = NULL, standardize = NULL) {
  given <- list(n_trees = n_trees, criterion = criterion, min_samples_leaf = min_samples_leaf, max_features =
                max_features, sample_fraction = sample_fraction, max_rows = max_rows, max_bins = max_bins,
                bandwidth_y = bandwidth_y, sensitivity = sensitivity, n_atoms = n_atoms, tuning_rows = tuning_rows,
                defensive_weight = defensive_weight, standardize = standardize)
  fit_model("forest", sys.call(), given, x, ...)
}

#' Gradient-boosted trees for location and scale, and a Gaussian mixture for what is left
#'
#' The model `boost` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param likelihood `choice`, mixture or normal. Whose likelihood is raised: that of a mixture that is fitted along,
#'   or that of a Gaussian, whose natural gradient has a tree for the mean and one for the spread. Default:
#'   "mixture"; of preset "paper": "normal".
#' @param n_rounds `integer`, in `[1, 10000]`. Most rounds, each of a tree for every target. Default: 1000; of preset
#'   "paper": 500.
#' @param learning_rate `number`, in `(0, 1]`. Share of its step that every tree takes. Default: 0.15; of preset
#'   "paper": 0.01.
#' @param n_folds `integer`, in `[0, 100]`. Parts of the rows, each left out by a model of its own, whose scores say
#'   how many rounds there are; predictions are their average. 0: one model of all rows and rounds. Default: 5; of
#'   preset "paper": 0.
#' @param patience `integer`, in `[1, Inf)`. Rounds without a better score of the rows left out after which boosting
#'   stops. Default: 50.
#' @param max_depth `integer`, in `[1, 10]`. Most splits between the root and a leaf. Default: 6; of preset "paper":
#'   3.
#' @param min_samples_leaf `number`, in `[1, Inf)`. Fewest rows in a leaf, counted by weight. Default: 30; of preset
#'   "paper": 1.
#' @param l2 `number`, in `[0, Inf)`. Penalty of a leaf's step, as if the leaf had so many more rows that ask for
#'   none. Default: 3; of preset "paper": 0.
#' @param subsample `number`, in `[0.01, 1]`. Share of the rows, drawn for every round, of which its trees are made.
#'   Default: 1.
#' @param max_features `number`, in `[0, 1]`. Share of the inputs, at least one, drawn for every tree, that it may
#'   split. Default: 1.
#' @param max_rows `integer`, in `[1, Inf)`. Most rows of which a tree is made; of more, as many are drawn. Default:
#'   250000.
#' @param max_bins `integer`, in `[2, 65000]`. Different values of an input, at most, between which splits are
#'   sought; more are put into bins. Default: 256.
#' @param n_components `integer`, in `[1, 100]`. Gaussians of the distribution of what is left. Default: 3; of preset
#'   "paper": 1.
#' @param scale_floor `number`, in `(0, 1]`. Least scale, as a share of the spread of y. Default: 0.001.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`n_rounds`}{Rounds that were used.}
#'   \item{`n_models`}{Models whose location and scale are averaged.}
#'   \item{`n_trees`}{Number of trees.}
#'   \item{`feature_importances`}{What the log score loses when an input is shuffled, as a share of all. Of shape
#'     (n_inputs,).}
#'   \item{`residual_weights`}{Weights of the Gaussians of what is left. Of shape (n_components,).}
#'   \item{`residual_means`}{Their means, for (y - location) / scale. Of shape (n_components, n_targets).}
#'   \item{`residual_scales`}{Their standard deviations. Of shape (n_components, n_targets).}
#' }
#' @source Friedman (2001); Duan et al. (2020)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- boost(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' @export
boost <- function(x, ..., likelihood = NULL, n_rounds = NULL, learning_rate = NULL, n_folds = NULL, patience = NULL,
                  max_depth = NULL, min_samples_leaf = NULL, l2 = NULL, subsample = NULL, max_features = NULL,
                  max_rows = NULL, max_bins = NULL, n_components = NULL, scale_floor = NULL, defensive_weight = NULL,
                  standardize = NULL) {
  given <- list(likelihood = likelihood, n_rounds = n_rounds, learning_rate = learning_rate, n_folds = n_folds,
                patience = patience, max_depth = max_depth, min_samples_leaf = min_samples_leaf, l2 = l2, subsample
                = subsample, max_features = max_features, max_rows = max_rows, max_bins = max_bins, n_components =
                n_components, scale_floor = scale_floor, defensive_weight = defensive_weight, standardize =
                standardize)
  fit_model("boost", sys.call(), given, x, ...)
}

#' Sparse density from tunable kernels, placed one by one by a leave-one-out regression
#'
#' The model `gskd` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param target_bandwidth `numbers`, in `(0, Inf)`. Width of the Parzen window that is regressed on, on the
#'   standardised scale: none (by leave-one-out likelihood), one number, or one for each column (inputs first).
#'   Default: none.
#' @param target `choice`, paper or loo or cdf or auto. The window at the data with each point's own kernel (paper)
#'   or without it (loo): its own kernel makes every point look dense, most in many dimensions; the better of the two
#'   by held-out likelihood (auto); or the empirical distribution function, for which a kernel's own stands (cdf).
#'   Default: "auto"; of preset "paper": "paper".
#' @param search `choice`, gradient or boosting. How each kernel is found: quasi-Newton steps from the best of random
#'   candidates (gradient), or the paper's repeated weighted boosting search (boosting). Default: "gradient"; of
#'   preset "paper": "boosting".
#' @param candidates `integer`, in `[1, 10000]`. Random candidates of the gradient search, evaluated together.
#'   Default: 80.
#' @param starts `integer`, in `[1, 10000]`. The best candidates, from each of which quasi-Newton steps are taken.
#'   Default: 5.
#' @param population `integer`, in `[1, 10000]`. Population of the boosting search. Default: 40.
#' @param generations `integer`, in `[1, 10000]`. Generations of the boosting search. Default: 10.
#' @param search_iterations `integer`, in `[0, 1e+07]`. Steps of the boosting search in a generation, two evaluations
#'   each. Default: 400.
#' @param literal_best `boolean`. Take the boosting search's best as it was before the last step of a generation, as
#'   the paper's text has it. Default: FALSE.
#' @param lowest_width `number`, in `(0, Inf)`. Smallest width of a kernel, in widths of the Parzen window. Default:
#'   1.
#' @param highest_width `number`, in `(0, Inf)`. Largest width of a kernel, in standard deviations of the window
#'   along each column. Default: 1.
#' @param regularization `number`, in `[0, Inf)`. Ridge penalty lambda of the regression: a share of each kernel's
#'   sum of squares, or an absolute number in units of density squared. Default: 1e-04; of preset "paper": 1e-06.
#' @param relative_regularization `boolean`. Take regularization as a share, which does not depend on the units of
#'   the data. Default: TRUE; of preset "paper": FALSE.
#' @param nonnegative `boolean`. Keep the weights nonnegative while kernels are chosen: each is added to what
#'   nonnegative weights leave, and those whose weights vanish go. Otherwise (paper) the final weights alone are.
#'   Default: TRUE; of preset "paper": FALSE.
#' @param selection `choice`, cv or stop. The number of kernels: by the held-out likelihood of y given x, up to three
#'   sizes without improvement (cv), or all that the search finds (stop). Default: "cv"; of preset "paper": "stop".
#' @param n_folds `integer`, in `[2, 10000]`. Folds of the held-out comparison of targets, numbers of kernels and
#'   polish; of fewer than ten rows, or than folds, nothing is compared. Default: 5.
#' @param max_kernels `integer`, in `[1, Inf)`. Largest number of kernels. Default: 50.
#' @param stop_tolerance `number`, in `[0, 1)`. Stop at the kernel that lowers the leave-one-out error by no more
#'   than this share (0: that does not lower it). Default: 0.
#' @param weights `choice`, exact or mnqp. How the kernels' weights are found: the exact minimiser, or multiplicative
#'   updates (mnqp). Default: "exact"; of preset "paper": "mnqp".
#' @param iterations `integer`, in `[1, 1e+07]`. Number of multiplicative updates. Default: 1000.
#' @param pruning `number`, in `[0, 1)`. Weights below this share of the largest one are zero, after multiplicative
#'   updates. Default: 1e-04.
#' @param polish `choice`, none or em or auto. Expectation maximisation from the kernels and weights that were found:
#'   never (none), always (em), or where held-out likelihood is better for it (auto). Default: "auto"; of preset
#'   "paper": "none".
#' @param covariance `choice`, full or diagonal or auto. Covariances of polished kernels: any, diagonal ones, or
#'   (auto) any where that raises the held-out likelihood by more than its standard error. Default: "auto"; of preset
#'   "paper": "diagonal".
#' @param polish_iterations `integer`, in `[1, Inf)`. Largest number of iterations of expectation maximisation.
#'   Default: 200.
#' @param fit_rows `integer`, in `[2, Inf)`. Of more rows than this, a random subset of this size carries the
#'   regression and chooses the width; the window has all rows. Default: 10000.
#' @param merge_copies `boolean`. Rows that are equal in x and y are one of their common weight: the target leaves
#'   them out together. Default: TRUE; of preset "paper": FALSE.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`kernel_weights`}{Weights of the kernels; they sum to one. Of shape (n_kernels,).}
#'   \item{`kernel_means`}{Centres of the kernels, inputs first, on the scale of the data. Of shape (n_kernels,
#'     n_columns).}
#'   \item{`kernel_scales`}{Standard deviations of the kernels, inputs first, on the scale of the data. Of shape
#'     (n_kernels, n_columns).}
#'   \item{`kernel_covariances`}{Covariance matrices of the kernels, on the scale of the data. Of shape (n_kernels,
#'     n_columns, n_columns).}
#'   \item{`n_kernels`}{Number of kernels.}
#'   \item{`target_bandwidth`}{Width of the Parzen window in every column, inputs first, on the standardised scale.
#'     Of shape (n_columns,).}
#' }
#' @source Chen, Hong and Harris (2010)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- gskd(~ waiting + duration, MASS::geyser[1:150, ], seed = 1)
#' predict(fit, data.frame(waiting = 80, duration = 2), type = "density")
#' @export
gskd <- function(x, ..., target_bandwidth = NULL, target = NULL, search = NULL, candidates = NULL, starts = NULL,
                 population = NULL, generations = NULL, search_iterations = NULL, literal_best = NULL, lowest_width =
                 NULL, highest_width = NULL, regularization = NULL, relative_regularization = NULL, nonnegative =
                 NULL, selection = NULL, n_folds = NULL, max_kernels = NULL, stop_tolerance = NULL, weights = NULL,
                 iterations = NULL, pruning = NULL, polish = NULL, covariance = NULL, polish_iterations = NULL,
                 fit_rows = NULL, merge_copies = NULL, defensive_weight = NULL, standardize = NULL) {
  given <- list(target_bandwidth = target_bandwidth, target = target, search = search, candidates = candidates,
                starts = starts, population = population, generations = generations, search_iterations =
                search_iterations, literal_best = literal_best, lowest_width = lowest_width, highest_width =
                highest_width, regularization = regularization, relative_regularization = relative_regularization,
                nonnegative = nonnegative, selection = selection, n_folds = n_folds, max_kernels = max_kernels,
                stop_tolerance = stop_tolerance, weights = weights, iterations = iterations, pruning = pruning,
                polish = polish, covariance = covariance, polish_iterations = polish_iterations, fit_rows =
                fit_rows, merge_copies = merge_copies, defensive_weight = defensive_weight, standardize =
                standardize)
  fit_model("gskd", sys.call(), given, x, ...)
}

#' Parzen window: a Gaussian at every sample of inputs and target together, conditioned on the inputs
#'
#' The model `parzen` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param shape `choice`, isotropic or diagonal or auto. One width for all columns, one for each, or (auto) one for
#'   each where that raises the held-out likelihood by more than its standard error. Default: "auto"; of preset
#'   "paper": "isotropic".
#' @param bandwidth `numbers`, in `(0, Inf)`. Gaussian width on the standardised scale: none (learned), one number,
#'   candidates (isotropic, auto), or one number for each column, inputs first (diagonal). Default: none.
#' @param bandwidth_floor `number`, in `(0, Inf)`. Smallest width that is learned, in standard deviations: ties in a
#'   column would make it vanish. Default: 0.01.
#' @param scoring `choice`, nll or squared. Score of cross-validation: negative log-likelihood, or squared error of
#'   the density. Default: "nll".
#' @param cv `numbers`, in `[0, Inf)`. 0 (leave one out), a number of folds, or the fold number of every row.
#'   Default: 0.
#' @param width_rows `integer`, in `[0, Inf)`. Of more rows than this, a random subset of this size chooses the
#'   widths (0: all rows do). Default: 10000; of preset "paper": 0.
#' @param sketch_cells `integer`, in `[1, Inf)`. Of a table that is elsewhere (Dask, Spark, files) and has more rows
#'   than this: at most so many kernels, of cells of neighbouring rows. Default: 100000.
#' @param merge_copies `boolean`. Rows that are equal in x and y are left out together by leave-one-out, and share
#'   one kernel. Default: TRUE; of preset "paper": FALSE.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`bandwidths`}{Gaussian width of every column, inputs first, on the standardised scale. Of shape
#'     (n_columns,).}
#'   \item{`n_kernels`}{Number of kernels: of rows that differ.}
#'   \item{`kernel_weights`}{Weights of the kernels, of sum one. Of shape (n_kernels,).}
#'   \item{`kernel_means`}{Where the kernels sit, on the scale of the data, inputs first. Of shape (n_kernels,
#'     n_columns).}
#'   \item{`kernel_scales`}{Standard deviations of the kernels, on the scale of the data. Of shape (n_kernels,
#'     n_columns).}
#' }
#' @source Parzen (1962); Chen, Hong and Harris (2010)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- parzen(~ waiting + duration, MASS::geyser[1:150, ], seed = 1)
#' predict(fit, data.frame(waiting = 80, duration = 2), type = "density")
#' @export
parzen <- function(x, ..., shape = NULL, bandwidth = NULL, bandwidth_floor = NULL, scoring = NULL, cv = NULL,
                   width_rows = NULL, sketch_cells = NULL, merge_copies = NULL, defensive_weight = NULL, standardize
                   = NULL) {
  given <- list(shape = shape, bandwidth = bandwidth, bandwidth_floor = bandwidth_floor, scoring = scoring, cv =
                cv, width_rows = width_rows, sketch_cells = sketch_cells, merge_copies = merge_copies,
                defensive_weight = defensive_weight, standardize = standardize)
  fit_model("parzen", sys.call(), given, x, ...)
}

#' Sparse kernel density: kernels at data points, one by one by the leave-one-out error
#'
#' The model `skd` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param bandwidth `numbers`, in `(0, Inf)`. Width of the kernels, on the standardised scale: one number, candidates
#'   for cross-validation, or none: 1 to 4 times target_bandwidth. Default: none.
#' @param target_bandwidth `numbers`, in `(0, Inf)`. Width of the Parzen window that is the target; none: by the
#'   leave-one-out likelihood. Default: none.
#' @param target `choice`, paper or loo. The Parzen window at a sample with the kernel that stands there, as in the
#'   paper, or (loo) without. Default: "loo"; of preset "paper": "paper".
#' @param regularization `number`, in `[0, Inf)`. Regulariser lambda of every orthogonal column, to begin with.
#'   Default: 1e-06.
#' @param relative_regularization `boolean`. The regulariser is a share of a column's sum of squares, so that units
#'   do not matter. Default: TRUE; of preset "paper": FALSE.
#' @param local_regularization `boolean`. Then give each chosen kernel a regulariser by its evidence and select once
#'   more among them. Default: TRUE.
#' @param max_kernels `integer`, in `[1, Inf)`. Most kernels that are chosen. Default: 100.
#' @param stop_tolerance `number`, in `[0, 1)`. Stop when another kernel lowers the leave-one-out error by less than
#'   this share (paper: 0). Default: 0.05; of preset "paper": 0.
#' @param weights `choice`, exact or mnqp. How the kernels' weights are found: the exact minimiser, or multiplicative
#'   updates (mnqp). Default: "exact"; of preset "paper": "mnqp".
#' @param iterations `integer`, in `[1, 1e+07]`. Number of multiplicative updates. Default: 1000.
#' @param pruning `number`, in `[0, 1)`. Weights below this share of the largest one are zero, after multiplicative
#'   updates. Default: 1e-04.
#' @param scoring `choice`, nll or squared. What held-out rows score: -log p, or half the integral of p^2 minus p.
#'   Default: "nll".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param refine `boolean`. Search again between the best candidate and its neighbours. Default: TRUE; of preset
#'   "paper": FALSE.
#' @param merge_copies `boolean`. Rows that are equal in x and y are one of their common weight: they leave together
#'   in cross-validation. Default: TRUE; of preset "paper": FALSE.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`bandwidth`}{Width of the kernels, on the standardised scale.}
#'   \item{`target_bandwidth`}{Width of the Parzen window that was the target, on the standardised scale.}
#'   \item{`n_kernels`}{Number of kernels whose weight is not zero.}
#'   \item{`kernel_weights`}{Weight of every kernel; they sum to one. Of shape (n_kernels,).}
#'   \item{`kernel_means`}{Centres (inputs, then targets), on the scale of the data. Of shape (n_kernels,
#'     n_columns).}
#'   \item{`kernel_scales`}{Standard deviations, on the scale of the data. Of shape (n_kernels, n_columns).}
#' }
#' @source Chen, Hong and Harris (2008, 2010)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- skd(~ waiting + duration, MASS::geyser[1:150, ], seed = 1)
#' predict(fit, data.frame(waiting = 80, duration = 2), type = "density")
#' @export
skd <- function(x, ..., bandwidth = NULL, target_bandwidth = NULL, target = NULL, regularization = NULL,
                relative_regularization = NULL, local_regularization = NULL, max_kernels = NULL, stop_tolerance =
                NULL, weights = NULL, iterations = NULL, pruning = NULL, scoring = NULL, cv = NULL, refine = NULL,
                merge_copies = NULL, defensive_weight = NULL, standardize = NULL) {
  given <- list(bandwidth = bandwidth, target_bandwidth = target_bandwidth, target = target, regularization =
                regularization, relative_regularization = relative_regularization, local_regularization =
                local_regularization, max_kernels = max_kernels, stop_tolerance = stop_tolerance, weights =
                weights, iterations = iterations, pruning = pruning, scoring = scoring, cv = cv, refine = refine,
                merge_copies = merge_copies, defensive_weight = defensive_weight, standardize = standardize)
  fit_model("skd", sys.call(), given, x, ...)
}

#' Reduced set density: the kernels and weights of the least integrated squared error
#'
#' The model `rsde` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param bandwidth `numbers`, in `(0, Inf)`. Width of the kernels, on the standardised scale: one number, candidates
#'   for cross-validation, or none: 0.5 to 4 times the width of a Parzen window by the leave-one-out likelihood.
#'   Default: none.
#' @param target_bandwidth `numbers`, in `(0, Inf)`. Width of a Parzen window from which the integrated squared error
#'   is taken; none: the expectation under the density is the mean over the sample, as in the paper. Default: none.
#' @param target `choice`, paper or loo. The mean over the sample with the point itself, as in the paper, or (loo)
#'   over the others. Default: "loo"; of preset "paper": "paper".
#' @param solver `choice`, exact or multiplicative. The exact minimiser, or multiplicative updates, which need the
#'   matrix of all pairs. Default: "exact".
#' @param iterations `integer`, in `[1, 1e+07]`. Number of multiplicative updates. Default: 1000.
#' @param pruning `number`, in `[0, 1)`. Weights below this share of the largest one are zero, after multiplicative
#'   updates. Default: 1e-04.
#' @param scoring `choice`, nll or squared. What held-out rows score: -log p, or half the integral of p^2 minus p.
#'   Default: "nll".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param refine `boolean`. Search again between the best candidate and its neighbours. Default: TRUE; of preset
#'   "paper": FALSE.
#' @param merge_copies `boolean`. Rows that are equal in x and y are one of their common weight: they leave together
#'   in cross-validation. Default: TRUE; of preset "paper": FALSE.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`bandwidth`}{Width of the kernels, on the standardised scale.}
#'   \item{`n_kernels`}{Number of kernels whose weight is not zero.}
#'   \item{`kernel_weights`}{Weight of every kernel; they sum to one. Of shape (n_kernels,).}
#'   \item{`kernel_means`}{Centres (inputs, then targets), on the scale of the data. Of shape (n_kernels,
#'     n_columns).}
#'   \item{`kernel_scales`}{Standard deviations, on the scale of the data. Of shape (n_kernels, n_columns).}
#' }
#' @source Girolami and He (2003); Chen, Hong and Harris (2010)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- rsde(~ waiting + duration, MASS::geyser[1:150, ], seed = 1)
#' predict(fit, data.frame(waiting = 80, duration = 2), type = "density")
#' @export
rsde <- function(x, ..., bandwidth = NULL, target_bandwidth = NULL, target = NULL, solver = NULL, iterations = NULL,
                 pruning = NULL, scoring = NULL, cv = NULL, refine = NULL, merge_copies = NULL, defensive_weight =
                 NULL, standardize = NULL) {
  given <- list(bandwidth = bandwidth, target_bandwidth = target_bandwidth, target = target, solver = solver,
                iterations = iterations, pruning = pruning, scoring = scoring, cv = cv, refine = refine,
                merge_copies = merge_copies, defensive_weight = defensive_weight, standardize = standardize)
  fit_model("rsde", sys.call(), given, x, ...)
}

#' Gaussian mixture by expectation maximisation: full or diagonal covariances, their number by BIC
#'
#' The model `gmm` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param n_components `numbers`, in `[1, 1000]`. Number of Gaussians, or candidates for it in rising order: the
#'   search ends after three without improvement. Default: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10; of preset "paper": 7.
#' @param covariance `choice`, full or diagonal or auto. Any covariance matrix, a diagonal one, or (auto) the better
#'   by `selection`. Default: "auto"; of preset "paper": "diagonal".
#' @param selection `choice`, bic or cv. Candidates are compared by the Bayesian information criterion, or by the
#'   held-out likelihood of y given x. Default: "bic".
#' @param cv `numbers`, in `[0, Inf)`. For selection = cv: the number of folds, or the fold of every row. Default: 5.
#' @param initialization `choice`, kmeans or random. Starts from clusters by k-means++, or from centres drawn
#'   uniformly from `region`. Default: "kmeans"; of preset "paper": "random".
#' @param centers `matrix`. Given centres \[x, y\] on the scale of the data to start from, in place of n_components
#'   of them. Default: none.
#' @param region `numbers`. Two numbers a, b for initialization = random: centres in \[a, b\] in every column, on the
#'   scale of the fit (none: the range of every column). Default: none.
#' @param initial_variance `number`, in `(0, Inf)`. Variance to start with around random or given centres, on the
#'   scale of the fit. Default: 1; of preset "paper": 0.1.
#' @param variance_floor `number`, in `[1e-12, 1e+12]`. Smallest variance in any direction, on the scale of the fit:
#'   standardised, a share of the column's. Default: 0.001; of preset "paper": 0.01.
#' @param starts `integer`, in `[1, 10000]`. Short runs, of which the best is continued. Default: 4; of preset
#'   "paper": 1.
#' @param short_iterations `integer`, in `[1, Inf)`. Iterations of a short run. Default: 15.
#' @param max_iterations `integer`, in `[0, Inf)`. Iterations of the run that is continued. Default: 500.
#' @param tolerance `number`, in `[0, Inf)`. Ends where the mean log density rises by less (0: after max_iterations).
#'   Default: 1e-05.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 first; densities stay on your
#'   scale. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`n_kernels`}{Number of components.}
#'   \item{`kernel_weights`}{Weights of the components. Of shape (n_kernels,).}
#'   \item{`kernel_means`}{Means of the components in \[x, y\], on the scale of the data. Of shape (n_kernels,
#'     n_columns).}
#'   \item{`kernel_scales`}{Standard deviations of the components, on the scale of the data. Of shape (n_kernels,
#'     n_columns).}
#'   \item{`kernel_covariances`}{Covariance matrices of the components, on the scale of the data. Of shape
#'     (n_kernels, n_columns, n_columns).}
#'   \item{`covariance`}{Shape of the covariances: full or diagonal.}
#'   \item{`log_likelihood`}{Mean log density of the rows \[x, y\], on the scale of the fit.}
#' }
#' @source Dempster, Laird and Rubin (1977); Chen, Hong and Harris (2010)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- gmm(~ waiting + duration, MASS::geyser[1:150, ], seed = 1)
#' predict(fit, data.frame(waiting = 80, duration = 2), type = "density")
#' @export
gmm <- function(x, ..., n_components = NULL, covariance = NULL, selection = NULL, cv = NULL, initialization = NULL,
                centers = NULL, region = NULL, initial_variance = NULL, variance_floor = NULL, starts = NULL,
                short_iterations = NULL, max_iterations = NULL, tolerance = NULL, defensive_weight = NULL,
                standardize = NULL) {
  given <- list(n_components = n_components, covariance = covariance, selection = selection, cv = cv,
                initialization = initialization, centers = centers, region = region, initial_variance =
                initial_variance, variance_floor = variance_floor, starts = starts, short_iterations =
                short_iterations, max_iterations = max_iterations, tolerance = tolerance, defensive_weight =
                defensive_weight, standardize = standardize)
  fit_model("gmm", sys.call(), given, x, ...)
}

#' Forward selection of inputs, one by one, for any model
#'
#' The model `forward` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param model `text`. Name of the model that inputs are selected for. Default: "lscde".
#' @param model_preset `text`. Preset of that model: where options that are not set take their values from. Default:
#'   "recommended"; of preset "paper": "paper".
#' @param options `options`. Options of that model. Default: none.
#' @param min_features `integer`, in `[0, Inf)`. Least number of inputs, which enter even where the score rises; 0:
#'   the density without inputs may win. Default: 0; of preset "paper": 1.
#' @param max_features `integer`, in `[0, Inf)`. Most inputs that enter, a categorical one counting once; 0: no
#'   limit. Default: 0.
#' @param selection_rule `choice`, minimum or one_standard_error. Keep all inputs that entered, or the first ones
#'   whose score is within one standard error of the last. Default: "one_standard_error"; of preset "paper":
#'   "minimum".
#' @param scoring `choice`, nll or squared. Score of cross-validation: negative log-likelihood, or squared error of
#'   the density. Default: "nll".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`support`}{1 for every input that was selected, else 0. Of shape (n_features,).}
#'   \item{`feature_importances`}{What each input took from the score when it entered, as a share of all. Of shape
#'     (n_features,).}
#'   \item{`ranking`}{1 for the input that entered first, 2 for the second, ...; 0 where it is not selected. Of shape
#'     (n_features,).}
#'   \item{`scores`}{Cross-validated score without inputs, and after each input that entered. Of shape (n_steps,).}
#' }
#' @source Shiga, Tangkaratt and Sugiyama (2015), section 3.1
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' \donttest{
#' fit <- forward(mpg ~ wt + hp + qsec, mtcars, seed = 1)
#' predict(fit, mtcars[1:3, ], type = "interval")
#' }
#' @export
forward <- function(x, ..., model = NULL, model_preset = NULL, options = NULL, min_features = NULL, max_features =
                    NULL, selection_rule = NULL, scoring = NULL, cv = NULL) {
  given <- list(model = model, model_preset = model_preset, options = options, min_features = min_features,
                max_features = max_features, selection_rule = selection_rule, scoring = scoring, cv = cv)
  fit_model("forward", sys.call(), given, x, ...)
}

#' Directions z = W x of largest squared-loss mutual information with y, then any model of z
#'
#' The model `lsmi` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param n_components `numbers`, in `[1, Inf)`. Number of directions: one number, or candidates; none: 1 to 5,
#'   chosen by cross-validation. Default: none.
#' @param selection_rule `choice`, minimum or one_standard_error. The number of directions of the least score, or the
#'   fewest within one standard error of it. Default: "one_standard_error"; of preset "paper": "minimum".
#' @param sparse `boolean`. Let inputs leave the directions, those of the smallest loadings first, as far as the
#'   score of rows left out allows: their loadings are exactly zero. Default: FALSE.
#' @param bandwidth `numbers`, in `(0, Inf)`. Gaussian width in z while W is searched: one number, or candidates for
#'   cross-validation. Default: 0.1, 0.2, 0.4, 0.8, 1.6, 3.2; of preset "paper": 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1,
#'   2, 5, 10.
#' @param bandwidth_y `numbers`, in `(0, Inf)`. Gaussian width in y: one number, candidates, or none: the same width
#'   as for z. Default: 0.05, 0.1, 0.2, 0.4, 0.8; of preset "paper": none.
#' @param regularization `numbers`, in `(0, Inf)`. Ridge penalty lambda on the coefficients: one number, or
#'   candidates for cross-validation. Default: 1e-05, 1e-04, 0.001, 0.01, 0.1, 1; of preset "paper": 0.01, 0.02,
#'   0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10.
#' @param n_centers `integer`, in `[1, Inf)`. Number of kernel centres drawn from the samples (all samples when there
#'   are fewer). Default: 200; of preset "paper": 100.
#' @param center_selection `choice`, random or kmeans. How centres are drawn: at random, or spread over the data by
#'   k-means++. Default: "kmeans"; of preset "paper": "random".
#' @param mask_centers `boolean`. In cross-validation, leave out the centres that are samples of the held-out fold.
#'   Default: TRUE; of preset "paper": FALSE.
#' @param optimizer `choice`, lbfgs or steepest. Quasi-Newton steps, or the paper's steepest descent along geodesics.
#'   Default: "lbfgs"; of preset "paper": "steepest".
#' @param informed_starts `boolean`. Start from SIR, SAVE, learned Nadaraya-Watson metrics and the subspace of fewer
#'   dimensions, too. Default: TRUE; of preset "paper": FALSE.
#' @param start_directions `matrix`. Directions to start from, too, in units of the data: each a number for every
#'   input. Default: none.
#' @param random_starts `integer`, in `[0, 10000]`. Number of random starts. Default: 16; of preset "paper": 20.
#' @param tuning `choice`, common or own. Widths and regularisation common to all starts, chosen at the leading one,
#'   or own ones for each. Default: "common"; of preset "paper": "own".
#' @param steps_per_tuning `integer`, in `[1, Inf)`. Steps of the search between two choices of widths and
#'   regularisation. Default: 20; of preset "paper": 5.
#' @param max_steps `integer`, in `[1, Inf)`. Most steps of the search from each start. Default: 200.
#' @param model `text`. Name of the model of the directions. Default: "lscde".
#' @param model_preset `text`. Preset of that model: where options that are not set take their values from. Default:
#'   "recommended"; of preset "paper": "paper".
#' @param options `options`. Options of that model. Default: none.
#' @param scoring `choice`, nll or squared. Score of cross-validation: negative log-likelihood, or squared error of
#'   the density. Default: "nll".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 before directions are sought.
#'   Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`components`}{Directions W, one a row, orthonormal on the standardised scale of x; z = W x. Of shape
#'     (n_components, n_inputs).}
#'   \item{`n_components`}{Number of directions.}
#'   \item{`bandwidth`}{Gaussian width in z of the search, on the standardised scale.}
#'   \item{`bandwidth_y`}{Gaussian width in y of the search, on the standardised scale.}
#'   \item{`regularization`}{Ridge penalty of the search.}
#'   \item{`smi`}{Estimate of the squared-loss mutual information of y and z (more is better).}
#' }
#' @source Suzuki and Sugiyama (2013); Tangkaratt, Xie and Sugiyama (2015)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- lsmi(mpg ~ wt + hp + qsec, mtcars, seed = 1)
#' predict(fit, mtcars[1:3, ], type = "interval")
#' @export
lsmi <- function(x, ..., n_components = NULL, selection_rule = NULL, sparse = NULL, bandwidth = NULL, bandwidth_y =
                 NULL, regularization = NULL, n_centers = NULL, center_selection = NULL, mask_centers = NULL,
                 optimizer = NULL, informed_starts = NULL, start_directions = NULL, random_starts = NULL, tuning =
                 NULL, steps_per_tuning = NULL, max_steps = NULL, model = NULL, model_preset = NULL, options = NULL,
                 scoring = NULL, cv = NULL, standardize = NULL) {
  given <- list(n_components = n_components, selection_rule = selection_rule, sparse = sparse, bandwidth =
                bandwidth, bandwidth_y = bandwidth_y, regularization = regularization, n_centers = n_centers,
                center_selection = center_selection, mask_centers = mask_centers, optimizer = optimizer,
                informed_starts = informed_starts, start_directions = start_directions, random_starts =
                random_starts, tuning = tuning, steps_per_tuning = steps_per_tuning, max_steps = max_steps, model =
                model, model_preset = model_preset, options = options, scoring = scoring, cv = cv, standardize =
                standardize)
  fit_model("lsmi", sys.call(), given, x, ...)
}

#' Directions by sliced inverse regression or average variance, followed by any model
#'
#' The model `sliced` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param method `choice`, sir or save or mave or kdr. Sliced inverse regression (where the mean of x moves with y),
#'   sliced average variance estimation (where its covariance does), minimum average variance (where the mean of y
#'   moves with x), or kernel dimension reduction (anything of y). Default: "sir".
#' @param n_slices `integer`, in `[2, Inf)`. Number of slices of y for sir and save: equal shares of the rows, or
#'   clusters where there are several targets. Default: 10.
#' @param search_rows `integer`, in `[10, Inf)`. Random rows that mave and kdr look at, whose cost grows with the
#'   square and the cube of them. Default: 300.
#' @param n_components `numbers`, in `[1, Inf)`. Number of directions: one number, or candidates; none: 1 to 5,
#'   chosen by cross-validation. Default: none.
#' @param selection_rule `choice`, minimum or one_standard_error. The number of directions of the least score, or the
#'   fewest within one standard error of it. Default: "one_standard_error"; of preset "paper": "minimum".
#' @param sparse `boolean`. Let inputs leave the directions, those of the smallest loadings first, as far as the
#'   score of rows left out allows: their loadings are exactly zero. Default: FALSE.
#' @param model `text`. Name of the model of the directions. Default: "lscde".
#' @param model_preset `text`. Preset of that model: where options that are not set take their values from. Default:
#'   "recommended"; of preset "paper": "paper".
#' @param options `options`. Options of that model. Default: none.
#' @param scoring `choice`, nll or squared. Score of cross-validation: negative log-likelihood, or squared error of
#'   the density. Default: "nll".
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param standardize `boolean`. Bring every input to mean 0 and standard deviation 1 before directions are sought.
#'   Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`components`}{Directions W, one a row, orthonormal on the standardised scale of x; z = W x. Of shape
#'     (n_components, n_inputs).}
#'   \item{`n_components`}{Number of directions.}
#' }
#' @source Li (1991); Cook and Weisberg (1991)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' fit <- sliced(mpg ~ wt + hp + qsec, mtcars, seed = 1)
#' predict(fit, mtcars[1:3, ], type = "interval")
#' @export
sliced <- function(x, ..., method = NULL, n_slices = NULL, search_rows = NULL, n_components = NULL, selection_rule =
                   NULL, sparse = NULL, model = NULL, model_preset = NULL, options = NULL, scoring = NULL, cv = NULL,
                   standardize = NULL) {
  given <- list(method = method, n_slices = n_slices, search_rows = search_rows, n_components = n_components,
                selection_rule = selection_rule, sparse = sparse, model = model, model_preset = model_preset,
                options = options, scoring = scoring, cv = cv, standardize = standardize)
  fit_model("sliced", sys.call(), given, x, ...)
}

#' A mean and a spread that follow the inputs, and any model of what is left
#'
#' The model `location_scale` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param mean `choice`, constant or linear or ridge or gp or auto. How the mean follows the inputs: not at all, by
#'   ridge regression on the inputs, by ridge regression on them and on kernels of one width, by a Gaussian process
#'   with a length scale for every input, or by the one of these two that errs less on rows left out. Default:
#'   "auto".
#' @param scale `choice`, constant or linear or ridge or gp or auto. How the logarithm of the spread follows the
#'   inputs, likewise. Default: "ridge".
#' @param model `text`. Name of the model of what is left, given the inputs. Default: "lscde".
#' @param model_preset `text`. Preset of that model: where options that are not set take their values from. Default:
#'   "recommended"; of preset "paper": "paper".
#' @param options `options`. Options of that model. Default: none.
#' @param bandwidth `numbers`, in `(0, Inf)`. Kernel width of ridge regressions, on the standardised scale: one
#'   number, or candidates for leave-one-out; none: a grid. Default: none.
#' @param regularization `numbers`, in `(0, Inf)`. Penalty lambda of ridge regressions: one number, or candidates for
#'   leave-one-out; none: a grid. Default: none.
#' @param n_centers `integer`, in `[1, Inf)`. Number of kernel centres of ridge regressions, spread over the inputs
#'   by k-means++ (all rows when there are fewer). Default: 300.
#' @param max_rows `integer`, in `[1, Inf)`. Of more rows than this, as many drawn at random make a Gaussian process,
#'   whose cost is cubic; it learns from the others through inducing points. Default: 2000.
#' @param scale_floor `number`, in `(0, 1]`. Least spread, as a share of the root mean square of the residuals left
#'   out. Default: 0.001.
#' @param defensive_weight `number`, in `[0, 1)`. Share of a broad Gaussian, twice the spread of y, that keeps far
#'   points from ruining a log score. Default: 0.001; of preset "paper": 0.
#' @param standardize `boolean`. Bring every column to mean 0 and standard deviation 1 before mean and spread are
#'   fitted. Default: TRUE.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`explained`}{Share of every target's squared error that the mean takes away, on rows left out. Of shape
#'     (n_targets,).}
#'   \item{`scale_gain`}{Log-likelihood per row left out that the spread adds to a constant one, as of a Laplace
#'     distribution. Of shape (n_targets,).}
#'   \item{`residual_scale`}{Root mean square of what the mean leaves of every target on rows left out, in its unit.
#'     Of shape (n_targets,).}
#'   \item{`length_scales`}{Length scale of every input in the mean of every target, on the standardised scale; 0: no
#'     kernels. Of shape (n_targets, n_inputs).}
#'   \item{`scale_length_scales`}{The same of the logarithm of the spread. Of shape (n_targets, n_inputs).}
#'   \item{`regularization`}{Penalty of the ridge regression for every target's mean; 0: there is none. Of shape
#'     (n_targets,).}
#'   \item{`scale_regularization`}{The same for the logarithm of the spread. Of shape (n_targets,).}
#' }
#' @source Akritas and Van Keilegom (2001); Davidian and Carroll (1987)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' \donttest{
#' fit <- location_scale(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' }
#' @export
location_scale <- function(x, ..., mean = NULL, scale = NULL, model = NULL, model_preset = NULL, options = NULL,
                           bandwidth = NULL, regularization = NULL, n_centers = NULL, max_rows = NULL, scale_floor =
                           NULL, defensive_weight = NULL, standardize = NULL) {
  given <- list(mean = mean, scale = scale, model = model, model_preset = model_preset, options = options,
                bandwidth = bandwidth, regularization = regularization, n_centers = n_centers, max_rows = max_rows,
                scale_floor = scale_floor, defensive_weight = defensive_weight, standardize = standardize)
  fit_model("location_scale", sys.call(), given, x, ...)
}

#' A convex combination of models, weighted by the log score of rows left out
#'
#' The model `pool` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param models `texts`. Names of the members; marginal is the density of y without inputs. Default: "lscde", "nw",
#'   "gp".
#' @param model_preset `text`. Preset of the members: where options that are not set take their values from. Default:
#'   "recommended"; of preset "paper": "paper".
#' @param options `options`. Options of the members, by their names. Default: none.
#' @param shrinkage `number`, in `[0, Inf)`. Evidence for equal weights, in rows: with few rows left out, weights
#'   follow chance; 0: none. Default: 2; of preset "paper": 0.
#' @param defensive_weight `number`, in `[0, 1)`. Least share of a broad Gaussian, twice the spread of y, which is a
#'   member of its own: it keeps far points from ruining a log score; 0: there is none. Default: 0.001; of preset
#'   "paper": 0.
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`members`}{Names of the models that could be fitted, and broad, the broad Gaussian, last. Of shape
#'     (n_members,).}
#'   \item{`weights`}{Weight of every member in the pool. Of shape (n_members,).}
#'   \item{`member_scores`}{Negative log-likelihood of every member on the rows left out, for y in standard
#'     deviations. Of shape (n_members,).}
#' }
#' @source Yao, Vehtari, Simpson and Gelman (2018)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' \donttest{
#' fit <- pool(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' }
#' @export
pool <- function(x, ..., models = NULL, model_preset = NULL, options = NULL, shrinkage = NULL, defensive_weight =
                 NULL, cv = NULL) {
  given <- list(models = models, model_preset = model_preset, options = options, shrinkage = shrinkage,
                defensive_weight = defensive_weight, cv = cv)
  fit_model("pool", sys.call(), given, x, ...)
}

#' A pool of models that a race on parts of the data chooses, within a budget of time
#'
#' The model `auto` of [condens()], which has all arguments that the models share.
#'
#' @param x A formula, or the inputs: see [condens()].
#' @param ... `data` of a formula, or `y`; and the other arguments of [condens()].
#' @param budget `number`, in `[0, Inf)`. Seconds of one core that the fit may take, as counted by its work: what
#'   would take longer is no member, or is fitted to fewer rows; 0: 60, and 5 more for every thousand rows up to
#'   40,000, 0.6 for every thousand beyond. Default: 0.
#' @param model_preset `text`. Preset of the members. Default: "recommended"; of preset "paper": "paper".
#' @param shrinkage `number`, in `[0, Inf)`. Evidence for equal weights, in rows: with few rows left out, weights
#'   follow chance; 0: none. Default: 2; of preset "paper": 0.
#' @param defensive_weight `number`, in `[0, 1)`. Least share of a broad Gaussian, twice the spread of y, which is a
#'   member of its own: it keeps far points from ruining a log score; 0: there is none. Default: 0.001; of preset
#'   "paper": 0.
#' @param cv `numbers`, in `[0, Inf)`. Number of folds (at least 2), or the fold number of every row. Default: 5.
#' @param sample_rows `integer`, in `[2001, Inf)`. Of tables whose rows are elsewhere: of more rows than this as many
#'   race, drawn at random; members that are sums over rows are then fitted to all, as the budget allows. Default:
#'   100000.
#'
#' @return A fit, as [condens()] returns it. `condens_results()` of it has
#' \describe{
#'   \item{`members`}{Names of the models that could be fitted, and broad, the broad Gaussian, last. Of shape
#'     (n_members,).}
#'   \item{`weights`}{Weight of every member in the pool. Of shape (n_members,).}
#'   \item{`member_scores`}{Negative log-likelihood of every member on the rows left out, for y in standard
#'     deviations. Of shape (n_members,).}
#' }
#' @source Yao, Vehtari, Simpson and Gelman (2018)
#' @seealso [predict.condens()], [condens_compare()]
#' @examples
#' \donttest{
#' fit <- auto(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(8, 16)), type = "interval")
#' }
#' @export
auto <- function(x, ..., budget = NULL, model_preset = NULL, shrinkage = NULL, defensive_weight = NULL, cv = NULL,
                 sample_rows = NULL) {
  given <- list(budget = budget, model_preset = model_preset, shrinkage = shrinkage, defensive_weight =
                defensive_weight, cv = cv, sample_rows = sample_rows)
  fit_model("auto", sys.call(), given, x, ...)
}

