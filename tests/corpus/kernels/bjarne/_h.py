import sys, os, re, tomllib, importlib.util, math, tempfile
import numpy as np, cupy as cp
cp.cuda.set_allocator(None)
H = os.path.dirname(os.path.abspath(__file__))
stub = "/tmp/stub"; os.makedirs(stub, exist_ok=True)
open(stub + "/cstdint", "w").write("#pragma once\ntypedef unsigned int uint32_t; typedef unsigned long long uint64_t; typedef int int32_t;\n")
open(stub + "/cuda_runtime.h", "w").write("#pragma once\n")
DT = dict(f32="f4", f16="f2", i32="i4", u32="u4", u8="u1", i8="i1")
def ev(e, env):
    return e if isinstance(e, int) else eval(e, dict(env, ceildiv=lambda a, b: -(-a // b), min=min, max=max, num_sms=132))
def go(name, which):
    d = f"{H}/{name}"; P = tomllib.load(open(d + "/problem.toml", "rb")); C = tomllib.load(open(d + "/candidate.toml", "rb"))
    defs = C["candidate"].get("defines", {})
    sub = lambda s: re.sub(r"\b[A-Z_]+\b", lambda m: str(defs.get(m[0], m[0])), s)
    names = [sub(l["entry"]) for l in C["launch"]]
    mod = cp.RawModule(code=open(d + "/kernel.cu").read(), backend="nvrtc", name_expressions=names,
        options=("-std=c++17", "-lineinfo", "-I" + stub, "-I/usr/local/cuda/include", "-I/usr/local/cuda/include/cccl") + tuple(f"-D{k}={v}" for k, v in defs.items()))
    shapes = [P["dims"]] + [{k: v for k, v in s.items() if k != "role"} for s in P["shapes"]]
    if which == "small": shapes = shapes[1:]
    if which == "dims": shapes = shapes[:1]
    for dims in shapes:
        env = dict(dims, **defs); rng = np.random.default_rng(1); host = {}; dev = {}
        for k, t in P["tensors"].items():
            shp = [ev(s, env) for s in t["shape"]]; dt = DT[t["dtype"]]; n = math.prod(shp)
            if t["role"] == "output": a = np.frombuffer(b"\xcb" * (n * np.dtype(dt).itemsize), dt)
            else:
                i = t["init"]
                if i == "arange": a = np.arange(n)
                elif i == "normal": a = rng.standard_normal(n)
                elif dt[0] in "iu": a = rng.integers(i["uniform"][0], i["uniform"][1] + 1, n)
                else: a = rng.uniform(i["uniform"][0], i["uniform"][1], n)
            a = a.astype(dt).reshape(shp); host[k] = a
            if not (which == "init" and t["role"] == "output"): dev[k] = cp.asarray(a)
            else: dev[k] = cp.empty(a.shape, a.dtype)
        for k, t in C.get("workspace", {}).items():
            shp = [ev(s, env) for s in t["shape"]]; dev[k] = cp.empty(shp, DT[t["dtype"]])
            if which not in ("init", "small"): dev[k].view("u1")[...] = 0xcb
        for l, nm in zip(C["launch"], names):
            args = []
            for a in l["args"]:
                if isinstance(a, dict): args.append(np.float32(a["f32"]))
                elif a in dev: args.append(dev[a])
                else: args.append(np.int32(ev(a, env)))
            mod.get_function(nm)(tuple(ev(g, env) for g in l["grid"]), tuple(ev(g, env) for g in l["block"]), tuple(args))
        cp.cuda.Device().synchronize()
        out = [k for k, t in P["tensors"].items() if t["role"] == "output"][0]
        got = dev[out].get().astype("f8")
        w = {k: (v.astype("f8") if v.dtype.kind == "f" else v) for k, v in host.items()}; w.update(dims)
        if "python" in P["reference"]:
            f, fn = P["reference"]["python"].split(":"); s = importlib.util.spec_from_file_location("r", f"{d}/{f}"); m = importlib.util.module_from_spec(s); s.loader.exec_module(m)
            fn = getattr(m, fn); ref = fn(**{k: w[k] for k in fn.__code__.co_varnames[: fn.__code__.co_argcount]})
        else: ref = w["A"] @ w["B"]
        assert ref.shape == got.shape, (ref.shape, got.shape)
        ref = ref.astype("f8"); err = np.linalg.norm(got - ref) / np.linalg.norm(ref)
        print(f"{name:20s} {str(dims):46s} err {err:.2e} tol {P['tolerance']['rel_l2']:.0e} wrong {int((np.abs(got-ref)>1e-3*np.abs(ref).max()).sum())} nan {int(np.isnan(got).sum())} {'OK' if err <= P['tolerance']['rel_l2'] else 'BAD'}", flush=True)
go(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "all")
