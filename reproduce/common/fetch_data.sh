#!/usr/bin/env bash
# Exports the data sets of Sugiyama et al. (2010), Table 1, of which Shiga et al.
# (2015) and Tangkaratt et al. (2015) use some, that Debian's R packages MASS and quantreg hold, as CSV: a
# header, inputs first, the target last, all numeric.
#
# usage: fetch_data.sh [DIRECTORY]      (default: data/ beside this script)
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
if [[ "${1:-}" == -h || "${1:-}" == --help ]]; then
  sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
fi
out="${1:-$here/data}"
mkdir -p "$out"
out="$(cd "$out" && pwd)"

if ! Rscript -e 'stopifnot(all(c("MASS", "quantreg") %in% rownames(installed.packages())))' >/dev/null 2>&1; then
  # shellcheck source=../../cmake/install-packages.sh
  source "$here/../../cmake/install-packages.sh"
  install_packages "${r_data_packages[@]}"
fi

OUT="$out" Rscript --vanilla - <<'R'
fetch <- function(name, package = "MASS") get(data(list = name, package = package, envir = environment()))
save <- function(name, data = fetch(name), columns = names(data)) {
  write.table(data[columns], file.path(Sys.getenv("OUT"), paste0(name, ".csv")),
              sep = ",", quote = FALSE, row.names = FALSE)
}

for (name in c("GAGurine", "topo", "mcycle", "Boston")) save(name)
for (name in c("CobarOre", "engel")) save(name, fetch(name, "quantreg"))
save("geyser", columns = c("duration", "waiting"))
save("gilgais", columns = c("pH00", "pH30", "pH80", "e00", "e30", "c00", "c30", "c80", "e80"))
# `low` is a function of the target; without `ftv` there are the paper's seven inputs.
save("birthwt", columns = c("age", "lwt", "race", "smoke", "ptl", "ht", "ui", "bwt"))
save("cpus", columns = c("syct", "mmin", "mmax", "cach", "chmin", "chmax", "perf", "estperf"))
crabs <- fetch("crabs")
crabs$sp <- as.integer(crabs$sp == "O")
crabs$sex <- as.integer(crabs$sex == "M")
save("crabs", crabs, c("sp", "sex", "FL", "RW", "CL", "BD", "CW"))
R

(cd "$out" && sha256sum --check --quiet <<'SUMS'
2dc6bf39405a74da549354883b1f9e53b95718fc4c0b87caa72d65cfa56d7696  birthwt.csv
4066fe08b3e8bab6c71dfe8c0955ece08b18312f678fa2149d308c1697aaa515  crabs.csv
538b77889ba2d357dee0a65932214e274f976015f074581b079d4fa748c80788  GAGurine.csv
ba213cb7976c7e6004f18b057c786dc3eb611a97a0500d2b51bdddb2365c6888  geyser.csv
8cf99423dd2792d512b75431e8f6deaab4d2b46b7df3c1e29af3bdfa49f2b6e9  gilgais.csv
dccd685f7a224a5e1ff17cfc70e34f52aef32ae0c2c65fb03131700244b71440  topo.csv
93d06e3d834a5c21056b40f16fcd03c4384acff5020e273453d5cd62d730f0c8  mcycle.csv
e3051379546fe05731ca2555c5c4718a9f8aaf897cbdfbeb2117c43224c44b49  cpus.csv
b9f88f3463a208dadd78546f0fb9ddacfa4897b4c92dd1b8269734f000fe377c  Boston.csv
aeb59a35c704f0beeb26deb68cfef9aec594b37ec6751367abef48a35005d459  CobarOre.csv
1ab6a5c4e884ef9ad624949d2b7e94652eccd75ba3905d1a46c85d28b153ec49  engel.csv
SUMS
) || { echo "A file differs from the one that the published figures were computed with." >&2; exit 1; }
echo "11 data sets written to $out; their checksums agree."

cat <<'NOTE'

Debian does not carry the R packages alr3 and ElemStatLearn. To study the other
sets too, put these files into the same directory (header, inputs first, the
target last, numbers only):

  file               rows  columns
  caution.csv         100  x1,x2,y
  ftcollinssnow.csv    93  Early,Late
  highway.csv          39  ADT,Trks,Lane,Acpt,Sigs,Itg,Slim,Len,Lwid,Shld,Hwy,Rate
  heights.csv        1375  Mheight,Dheight
  sniffer.csv         125  TankTemp,GasTemp,TankPres,GasPres,Y
  snowgeese.csv        45  obs1,obs2,photo
  ufc.csv             372  Plot,Tree,Species,Dbh,Height
  BigMac2003.csv       69  Bread,Rice,FoodIndex,Bus,Apt,TeachGI,TeachNI,TaxRate,TeachHours,BigMac
  UN3.csv             125  ModernC,Change,PPgdp,Frate,Pop,Fertility,Purban
  bone.csv            485  age,spnbmd                                        (ElemStatLearn)

The study of Tangkaratt et al. (2015) reads these sets of the UCI archive, too
(header, inputs first, targets last, numbers only):

  file               rows  columns
  auto_mpg.csv        392  cylinders,displacement,horsepower,weight,acceleration,model_year,origin,mpg
  servo.csv           167  motor,screw,pgain,vgain,rise_time
  yacht.csv           308  longitudinal_position,prismatic_coefficient,length_displacement_ratio,beam_draught_ratio,length_beam_ratio,froude_number,residuary_resistance
  physicochem.csv   45730  F1,...,F9,RMSD           (Physicochemical Properties of Protein Tertiary Structure)
  wine_white.csv     4898  the eleven measurements,quality
  wine_red.csv       1599  the eleven measurements,quality
  forest_fires.csv    517  X,Y,month,day,FFMC,DMC,DC,ISI,temp,RH,wind,rain,area
  concrete.csv       1030  the eight of the mixture,compressive_strength
  energy.csv          768  X1,...,X8,Y1,Y2          (Energy Efficiency)
  stock.csv           536  SP,DAX,FTSE,NIKKEI,BOVESPA,EU,EM,ISE_TL,ISE_USD   (Istanbul Stock Exchange)

The study of Goerg (2017) reads these:

  file                     rows  columns
  abalone.csv              4177  Sex,Length,Diameter,Height,Whole_weight,Shucked_weight,Viscera_weight,Shell_weight,Rings
  abalone_tf_train.csv     3320  the same without Sex (TensorFlow's abalone_train.csv with a header)
  abalone_tf_test.csv       857  the rows of abalone.csv that are not in it
  mnist/train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz,
  mnist/t10k-images-idx3-ubyte.gz, t10k-labels-idx1-ubyte.gz

abalone: Sex M, F, I is numbered 0, 1, 2. auto_mpg: the six rows without
horsepower are left out. servo: motor and screw A to E are numbered 1 to 5. forest_fires: months and days are numbered from 1, Monday is 1.

ufc: Species DF ES GF HW LP PP SF WC WL WP are numbered 1 to 10. UN3: the rows
with missing values are left out.
NOTE
