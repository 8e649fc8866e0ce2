"""The humanoid robot against MuJoCo: the same nine joints, from the numbers that our program prints, step by step.

usage: mujoco_check.py PROGRAM    (reproduce_humanoid; needs the package mujoco)
"""

import json
import subprocess
import sys

import mujoco
import numpy as np


def numbers(values):
    """As an attribute of MJCF."""
    return " ".join(repr(float(value)) for value in np.atleast_1d(values))


def body(links, index):
    """The body that a joint moves, and those that hang on it."""
    link = links[index]
    inside = "".join(body(links, child) for child in range(len(links)) if links[child]["parent"] == index)
    return (
        f'<body pos="{numbers(link["joint"])}"><joint name="{link["name"]}" axis="{numbers(link["axis"])}"/>'
        f'<inertial pos="{numbers(link["centre"])}" mass="{numbers(link["mass"])}" '
        f'diaginertia="{numbers(link["inertia"])}"/>{inside}</body>'
    )


def mjcf(robot, servos):
    """The robot in MuJoCo's language."""
    links = robot["links"]
    roots = "".join(body(links, index) for index in range(len(links)) if links[index]["parent"] < 0)
    actuators = "".join(
        f'<position joint="{link["name"]}" kp="{numbers(link["position_gain"] * servos)}" '
        f'kv="{numbers(link["rate_gain"] * servos)}"/>'
        for link in links
    )
    return (
        f'<mujoco><compiler angle="radian"/><option timestep="{numbers(robot["step"])}" integrator="RK4" '
        f'gravity="0 0 {numbers(-robot["gravity"])}"/><worldbody>{roots}</worldbody>'
        f"<actuator>{actuators}</actuator></mujoco>"
    )


def follow(robot, motion):
    """The largest difference of angles, of rates, and of one step from our own posture (angles, rates)."""
    model = mujoco.MjModel.from_xml_string(mjcf(robot, motion["servos"]))
    data, single = mujoco.MjData(model), mujoco.MjData(model)
    postures = np.array(motion["postures"])
    n = model.nq
    steps = len(postures) // len(motion["targets"])
    before = np.array(motion["start"])
    data.qpos, data.qvel = before[:n], before[n:]
    errors = []
    for step, after in enumerate(postures):
        data.ctrl = single.ctrl = motion["targets"][step // steps]
        mujoco.mj_step(model, data)
        single.qpos, single.qvel = before[:n], before[n:]
        mujoco.mj_step(model, single)
        pairs = (data.qpos, after[:n]), (data.qvel, after[n:]), (single.qpos, after[:n]), (single.qvel, after[n:])
        errors.append([np.abs(a - b).max() for a, b in pairs])
        before = after
    return np.max(errors, axis=0)


def main():
    """Prints a table in Markdown."""
    output = subprocess.run([sys.argv[1], "motions"], check=True, capture_output=True, text=True).stdout
    robot = json.loads(output)
    print(f"Against MuJoCo {mujoco.__version__}, steps of {robot['step']} s: the largest differences.\n")
    print("| motions | steps of each | angle | rate | angle, one step | rate, one step |")
    print("|:--|--:|--:|--:|--:|--:|")
    for servos in (True, False):
        motions = [motion for motion in robot["motions"] if motion["servos"] == servos]
        errors = np.max([follow(robot, motion) for motion in motions], axis=0)
        cells = " | ".join(f"{error:.1e}" for error in errors)
        name = "with servos" if servos else "falling, without"
        print(f"| {len(motions)} {name} | {len(motions[0]['postures'])} | {cells} |")


if __name__ == "__main__":
    main()
