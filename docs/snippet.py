import pandas as pd

from condens import LSCDE, plot

geyser = pd.read_csv("data/geyser.csv")
model = LSCDE().fit(geyser[["duration"]], geyser["waiting"])

laws = model.predict_distribution(pd.DataFrame({"duration": [2.0, 3.0, 4.0, 5.0]}))
print(laws.mean())  # one number for every row
print(laws[2].hdr(0.8))  # after four minutes: a short wait or a long one
print(laws[:, None].cdf([60, 75, 90]))  # the probability to wait at most 60, 75, 90 minutes

plot.density_map(model, geyser[["duration"]], geyser["waiting"]).figure.savefig("geyser.png")
