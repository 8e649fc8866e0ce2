import pandas as pd

from condens import LSCDE, plot

geyser = pd.read_csv("data/geyser.csv")
model = LSCDE().fit(geyser[["duration"]], geyser["waiting"])

dist = model.predict_distribution(pd.DataFrame({"duration": [2.0, 3.0, 4.0, 5.0]}))
print(dist.mean())  # one number for every row
print(dist[2].hdr(0.8))  # after four minutes: a short wait or a long one
print(dist[:, None].cdf([60, 75, 90]))  # the probability of waiting at most 60, 75, 90 minutes

plot.density_map(model, geyser[["duration"]], geyser["waiting"]).figure.savefig("geyser.png")
