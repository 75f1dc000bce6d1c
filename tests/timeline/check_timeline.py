#!/usr/bin/env python3
"""Holds the files of `run --timeline` to the trace-event format and to the report of the same run:
every slice is on a track that has a name and a place, no two slices of a track overlap, the slices
of the array add up to the causes that the report counts, each under its name, and arrows lead from
the instruction that is waited for to the one that waits."""
import argparse
import collections
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

RUNS = [
    "traces/transpose-pitch32.trace",
    "traces/transpose-swizzled.trace -m gcn --resident 1 --warp -5",
    "traces/cuda-classics.trace.xz --resident 2 --kernel *reduce*",
    "traces/cuda-classics.trace.xz -m fermi --kernel *padrun*",
    "traces/library-kernels.trace.xz --cta 0 --kernel *layer_norm*",
]
ARRAY = "array"


def fail_unless(fine, message):
    if not fine:
        raise AssertionError(message)


def check_event(event):
    kinds = {"M": {"ph", "name", "pid", "tid", "args"},
             "X": {"ph", "name", "pid", "tid", "ts", "dur", "cname", "args"},
             "s": {"ph", "name", "cat", "id", "pid", "tid", "ts"},
             "f": {"ph", "name", "cat", "id", "pid", "tid", "ts", "bp"}}
    fail_unless(event.get("ph") in kinds, f"unknown kind of event: {event}")
    fail_unless(set(event) == kinds[event["ph"]], f"keys that should not be, or are missing: {event}")
    if event["ph"] == "X":
        numbers = [event[key] for key in ("pid", "tid", "ts", "dur")]
        fail_unless(all(isinstance(n, int) and n >= 0 for n in numbers), f"no number: {event}")
        fail_unless(event["dur"] > 0, f"a slice that takes no time: {event}")


def names_of(events, kind, key, value="name"):
    """What metadata give, each once."""
    names = {}
    for event in events:
        if event["ph"] == "M" and event["name"] == kind:
            fail_unless(key(event) not in names, f"named twice: {event}")
            names[key(event)] = event["args"][value]
    return names


def check_tracks(events):
    """Slices by track, each named; sorted, and without overlaps. Returns them by process and name."""
    processes = names_of(events, "process_name", lambda e: e["pid"])
    tracks = names_of(events, "thread_name", lambda e: (e["pid"], e["tid"]))
    places = names_of(events, "thread_sort_index", lambda e: (e["pid"], e["tid"]), "sort_index")
    fail_unless(set(places) == set(tracks), "a track has a name or a place only")
    for pid in processes:
        names = [tracks[track] for track in sorted(places, key=places.get) if track[0] == pid]
        kinds = [name.split()[0] for name in names]
        fail_unless(kinds == sorted(kinds, key=["array", "scheduler", "CTA"].index),
                    f"tracks are not in order: {names}")
    slices = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            fail_unless(event["pid"] in processes, f"a process without a name: {event}")
            fail_unless((event["pid"], event["tid"]) in tracks, f"a track without a name: {event}")
            slices[event["pid"], tracks[event["pid"], event["tid"]]].append(event)
    fail_unless(len(set(tracks.items())) == len(tracks), "two tracks of one name")
    for track, found in slices.items():
        for before, after in zip(found, found[1:]):
            fail_unless(before["ts"] + before["dur"] <= after["ts"],
                        f"{track}: slices overlap or go back:\n{before}\n{after}")
    return slices


def cycles_of(slices, name):
    return sum(event["dur"] for event in slices if event["name"] == name)


def check_launch(pid, launch, start, slices):
    """A process against the launch that the report tells of."""
    array = slices[pid, ARRAY]
    for cause, expected in launch["causes"].items():
        came = cycles_of(array, cause)
        fail_unless(expected == came, f"launch {pid}: expected {expected} cycles of '{cause}', "
                                      f"got {came}")
    came = sum(event["dur"] for event in array)
    fail_unless(came == launch["cycles"], f"launch {pid}: {came} cycles of the array have names "
                                          f"that are no causes, of {launch['cycles']}")
    issued = [e for (p, track), found in slices.items() for e in found
              if p == pid and track.startswith("scheduler ")]
    bars = [e for (p, track), found in slices.items() for e in found
            if p == pid and track.startswith("CTA ") and e["name"] == "bar"]
    came = len(issued) + len(bars)
    fail_unless(came == launch["records"],
                f"launch {pid}: expected {launch['records']} instructions, got {came}")
    for (p, track), found in slices.items():
        if p == pid:
            fail_unless(found[0]["ts"] >= start and
                        found[-1]["ts"] + found[-1]["dur"] <= start + launch["cycles"],
                        f"launch {pid}: '{track}' goes beyond its cycles")


def check_colours(slices):
    """Each cause has a colour of its own on the array, and warps that wait have their cause's."""
    colours = collections.defaultdict(set)
    for (_, track), found in slices.items():
        for event in found:
            if track == ARRAY or event["name"].startswith("waits: "):
                colours[event["name"].removeprefix("waits: ")].add(event["cname"])
    fail_unless(all(len(found) == 1 for found in colours.values()), f"colours vary: {colours}")
    fail_unless(len(set.union(*colours.values())) == len(colours), f"colours are shared: {colours}")


def slice_at(found, cycle):
    return next((e for e in found if e["ts"] <= cycle < e["ts"] + e["dur"]), None)


def check_meanings(slices):
    """A click on a pass tells of which instruction it is and how far, on a wait what for."""
    for (_, track), found in slices.items():
        for event in found:
            args = event["args"]
            if track == ARRAY or event["name"].startswith("waits: "):
                fail_unless(args["meaning"], f"a slice without a meaning: {event}")
            if track == ARRAY and event["name"] in ("needed", "conflict"):
                last = args["first"] + event["dur"] - 1
                fail_unless(1 <= args["first"] and last <= max(args["passes"], 1),
                            f"passes beyond those of the instruction: {event}")
                conflicts = args["first"] > args["passes"] - args["conflicts"]
                fail_unless(conflicts == (event["name"] == "conflict"),
                            f"a pass of the other kind: {event}")
            elif track != ARRAY:
                fail_unless({"cta", "warp", "instruction", "pc", "op"} <= set(args),
                            f"a slice without its instruction: {event}")


def check_arrows(events, slices):
    """Each instruction that waited for a value has an arrow from the one that brought it."""
    tracks = names_of(events, "thread_name", lambda e: (e["pid"], e["tid"]))
    ends = collections.defaultdict(dict)
    for event in events:
        if event["ph"] in "sf":
            fail_unless(event["ph"] not in ends[event["id"]], f"an arrow with two such ends: {event}")
            ends[event["id"]][event["ph"]] = event
    arrows = set()
    for arrow in ends.values():
        fail_unless(len(arrow) == 2, f"an arrow with one end: {arrow}")
        found = [slices[e["pid"], tracks[e["pid"], e["tid"]]] for e in (arrow["s"], arrow["f"])]
        start, end = slice_at(found[0], arrow["s"]["ts"]), slice_at(found[1], arrow["f"]["ts"])
        wait = slice_at(found[1], arrow["f"]["ts"] - 1)
        fail_unless(start and end and wait, f"an arrow that ends nowhere: {arrow}")
        fail_unless(start["name"] == start["args"]["op"] and end["name"] == end["args"]["op"],
                    f"an arrow that is not from issue to issue: {start}, {end}")
        fail_unless(wait["args"]["on_instruction"] == start["args"]["instruction"] and
                    wait["args"]["on_pc"] == start["args"]["pc"] and
                    wait["args"]["instruction"] == end["args"]["instruction"],
                    f"an arrow that is not from what is waited for: {start}, {wait}, {end}")
        arrows.add((end["pid"], end["tid"], end["ts"]))
    for found in slices.values():
        for wait, issue in zip(found, found[1:]):
            if wait["name"] == "waits: dependency" and issue["name"] == issue["args"]["op"]:
                fail_unless((issue["pid"], issue["tid"], issue["ts"]) in arrows,
                            f"an instruction that waited has no arrow: {issue}")


def check(run, bin_folder):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "traces").symlink_to(harness.ROOT / "traces")
        outcome = harness.run(f"set -f; bankshot run --timeline out.json --by total --format json "
                              f"{run}", bin_folder, folder)
        fail_unless(outcome.exit == 0, f"exit {outcome.exit}: {outcome.stderr}")
        timeline = json.loads((pathlib.Path(folder) / "out.json").read_text())
    timing = json.loads(outcome.stdout)["timing"]
    events = timeline["traceEvents"]
    for event in events:
        check_event(event)
    slices = check_tracks(events)
    check_colours(slices)
    check_meanings(slices)
    check_arrows(events, slices)
    start = 0
    for pid, launch in enumerate(timing["launches"], 1):
        check_launch(pid, launch, start, slices)
        start += launch["cycles"]
    fail_unless(start == timing["cycles"], "launches do not add up to all cycles")
    fail_unless(len(slices) > 0, "nothing is in the timeline")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=harness.ROOT / "build/bin",
                        help="folder of the programs (build/bin)")
    options = parser.parse_args()
    failed = 0
    for run in RUNS:
        try:
            check(run, options.bin.resolve())
        except AssertionError as error:
            failed += 1
            print(f"--- bankshot run --timeline out.json {run}\n{error}")
    print(f"{len(RUNS) - failed} timelines are in order, {failed} are not")
    return 1 if failed else 0


sys.exit(main())
