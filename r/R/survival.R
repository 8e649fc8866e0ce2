# Responses that are known by their limits: Surv() of the package survival.

# list(low =, high =, entry = or NULL): y lies between low and high; of type "counting" the row is there only because y
# is above its entry.
limits_of_surv <- function(response) {
  type <- attr(response, "type")
  numbers <- unclass(response)
  status <- numbers[, "status"]
  time <- numbers[, if (type == "counting") "stop" else if (type == "interval") "time1" else "time"]
  low <- high <- as.double(time)
  entry <- NULL
  switch(type,
    right = high[status == 0] <- Inf,
    left = low[status == 0] <- -Inf,
    counting = {
      high[status == 0] <- Inf
      entry <- as.double(numbers[, "start"])
    },
    interval = {
      high[status == 0] <- Inf
      low[status == 2] <- -Inf
      high[status == 3] <- numbers[status == 3, "time2"]
    },
    refuse("the response is Surv() of type \"", type, "\", expected right, left, interval or counting")
  )
  gaps <- is.na(time) | is.na(status)
  low[gaps] <- NA
  list(low = low, high = high, entry = entry)
}

# A number for every row: the lower end, or the upper one where there is none.
representatives <- function(limits) ifelse(is.infinite(limits$low), limits$high, limits$low)

# "time" of Surv(time, status).
name_of_surv <- function(call) if (is.call(call) && length(call) > 1) deparse1(call[[2]]) else deparse1(call)

limits_at <- function(limits, rows) lapply(limits, function(end) if (!is.null(end)) end[rows])

refuse_censored <- function(object, what) {
  if (!is.null(object$limits)) {
    refuse(what, " needs the values of the target, which the fit knows by their limits only; condens_score() and ",
           "logLik() use those")
  }
}
