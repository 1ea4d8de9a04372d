"""One model file in memory, driven through llama.cpp's C interface. The only file that imports it.

Rules
  * One call at a time, from one thread. A second thread on one model object ends the process.
  * `n_batch = n_ubatch = 64`: larger ones allocate hundreds of MB for a vocabulary of 262k words.
  * The prefix is evaluated once and kept; each call brings at most `MAX_NEW_TOKENS` more and takes them away again.
  * Every call has a budget; the abort callback ends it from inside when the budget is spent.
"""

from __future__ import annotations

import ctypes
import hashlib
import itertools
import math
import os
import re
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
import numpy.typing as npt
from llama_cpp import llama_cpp as lib
from llama_cpp import llama_grammar

LIBRARY_VERSION: str = llama_cpp.__version__
BATCH = 64
MAX_NEW_TOKENS = 400
KEPT_HEAD = 100
"""Of a context that is too long the first hundred tokens stay and the last three hundred."""
MAX_OPTION_TOKENS = 16
N_CTX_STEP = 256

Floats = npt.NDArray[np.float32]


class EngineRefused(Exception):
    """The file cannot be used; the text says why."""


class Aborted(Exception):
    """The budget was spent inside the library."""


class TooLong(Exception):
    """More tokens than a call may bring."""


class Engine:
    """`prefix` is kept in sequence 0; everything else is evaluated behind it or in its place, and taken away."""

    def __init__(self, path: Path, prefix: str, *, threads: int, cache_dir: Path | None, model_sha256: str) -> None:
        self._log: deque[str] = deque(maxlen=50)
        self._log_callback = lib.llama_log_callback(self._note)
        lib.llama_log_set(self._log_callback, None)
        lib.llama_backend_init()
        self._model = self._load(path)
        self._vocab: Any = lib.llama_model_get_vocab(self._model)
        self.n_vocab: int = lib.llama_vocab_n_tokens(self._vocab)
        self._prefix = self.tokens(prefix, special=True)
        self._n_ctx = self._context_size()
        self._context = self._open_context(threads)
        self._memory: Any = lib.llama_get_memory(self._context)
        self._deadline_s = math.inf
        self._abort_callback = lib.ggml_abort_callback(lambda _data: time.monotonic() > self._deadline_s)
        lib.llama_set_abort_callback(self._context, self._abort_callback, None)
        self._cache = self._cache_file(cache_dir, model_sha256, prefix)
        self._kept = 0
        """Tokens of sequence 0 that are the prefix's; 0 when something else stands there."""
        self.prefix_from_cache = self._restore()

    # -- loading

    def _note(self, _level: int, text: bytes, _data: object) -> None:
        self._log.append(text.decode("utf-8", "replace").strip())

    def _load(self, path: Path) -> Any:
        params = lib.llama_model_default_params()
        params.n_gpu_layers = 0
        params.use_mmap = True
        model = lib.llama_model_load_from_file(str(path).encode(), params)
        if not model:
            raise EngineRefused(_why("\n".join(self._log)))
        return model

    def _context_size(self) -> int:
        """Room for the prefix and one call, no more than the model was trained for."""
        wanted = len(self._prefix) + MAX_NEW_TOKENS + BATCH
        size = -(-wanted // N_CTX_STEP) * N_CTX_STEP
        trained: int = lib.llama_model_n_ctx_train(self._model)
        if 0 < trained < wanted:
            raise EngineRefused(f"its context of {trained} tokens is too short for the prompt ({wanted} are needed)")
        return size

    def _open_context(self, threads: int) -> Any:
        params = lib.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = self._n_ctx, BATCH, BATCH
        params.n_threads = params.n_threads_batch = threads
        # Without the full window, taking tokens away would lose the start of the prefix on models that slide it.
        params.swa_full = True
        context = lib.llama_init_from_model(self._model, params)
        if not context:
            raise EngineRefused("the library could not open a context for it (out of memory?)")
        return context

    # -- tokens

    def tokens(self, text: str, *, special: bool = False) -> list[int]:
        """`special` adds the model's own start token; markup in the text stays text."""
        raw = text.encode("utf-8", "replace")
        room = (ctypes.c_int32 * (len(raw) + 8))()
        count: int = lib.llama_tokenize(self._vocab, raw, len(raw), room, len(room), special, False)
        if count < 0:
            raise TooLong(f"{-count} tokens")
        return list(room[:count])

    def first_token(self, word: str) -> int | None:
        found = self.tokens(" " + word)
        return found[0] if found else None

    # -- evaluation

    def within(self, budget_s: float) -> None:
        self._deadline_s = time.monotonic() + budget_s

    def logits_after(self, text: str) -> tuple[Floats, int]:
        """Raw next-token scores behind prefix and `text`, and how many tokens were new.

        The array is the library's own and lives until the next call. Too long is refused: a sentence is never cut.
        """
        new = self.tokens(text)
        if not 0 < len(new) <= MAX_NEW_TOKENS:
            raise TooLong(f"{len(new)} tokens, a call brings 1 to {MAX_NEW_TOKENS}")
        self._stand_on_prefix()
        self._decode(new)
        return self._logits(), len(new)

    def _read_alone(self, text: str) -> tuple[int, bool]:
        """Evaluates a context without the prefix; number of tokens, and whether its middle was left out to fit."""
        new = self.tokens(text, special=True)
        cut = len(new) > MAX_NEW_TOKENS
        if cut:
            new = new[:KEPT_HEAD] + new[KEPT_HEAD - MAX_NEW_TOKENS :]
        lib.llama_memory_clear(self._memory, True)
        self._kept = 0
        self._decode(new)
        return len(new), cut

    def option_scores(self, text: str, options: Sequence[str]) -> tuple[list[float], int, bool]:
        """Log-probability of each option behind `text`, the mean over its tokens; tokens read; whether text was cut.

        One pass where the options begin with different tokens; else one short pass for each of them.
        """
        count, cut = self._read_alone(text)
        base, end = self._logits().copy(), self._end()
        parts = [self.tokens(" " + option)[:MAX_OPTION_TOKENS] for option in options]
        if len({p[0] for p in parts if p}) == len(options):
            return [_log_softmax_at(base, p[0]) for p in parts], count, cut
        return [self._sequence_score(base, p, end) for p in parts], count, cut

    def _sequence_score(self, base: Floats, tokens: Sequence[int], end: int) -> float:
        total = _log_softmax_at(base, tokens[0])
        for before, token in itertools.pairwise(tokens):
            self._decode([before])
            total += _log_softmax_at(self._logits(), token)
        self._cut(end)
        return total / len(tokens)

    def write(self, text: str, grammar: str, max_tokens: int) -> tuple[str, int, int, bool]:
        """Greedy text under a grammar; tokens in, tokens out, whether the context was cut."""
        count, cut = self._read_alone(text)
        sampler = self._sampler(grammar)
        try:
            said = self._generate(sampler, max_tokens)
        finally:
            lib.llama_sampler_free(sampler)
        return b"".join(self._piece(t) for t in said).decode("utf-8", "replace"), count, len(said), cut

    def try_grammar(self, grammar: str) -> None:
        lib.llama_sampler_free(self._sampler(grammar))

    def _generate(self, sampler: Any, max_tokens: int) -> list[int]:
        said: list[int] = []
        room = min(max_tokens, self._n_ctx - self._end() - 1)
        while len(said) < room:
            if time.monotonic() > self._deadline_s:
                raise Aborted
            token: int = lib.llama_sampler_sample(sampler, self._context, -1)
            if lib.llama_vocab_is_eog(self._vocab, token):
                break
            said.append(token)
            self._decode([token])
        return said

    def _sampler(self, grammar: str) -> Any:
        constrained = lib.llama_sampler_init_grammar(self._vocab, grammar.encode(), b"root")
        if not constrained:
            raise EngineRefused("the library does not take the grammar")
        chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
        lib.llama_sampler_chain_add(chain, constrained)
        lib.llama_sampler_chain_add(chain, lib.llama_sampler_init_greedy())
        return chain

    def _piece(self, token: int) -> bytes:
        room = ctypes.create_string_buffer(256)
        count: int = lib.llama_token_to_piece(self._vocab, token, room, len(room), 0, False)
        return room.raw[: max(0, count)]

    def _decode(self, tokens: Sequence[int]) -> None:
        for start in range(0, len(tokens), BATCH):
            part = tokens[start : start + BATCH]
            array = (ctypes.c_int32 * len(part))(*part)
            code: int = lib.llama_decode(self._context, lib.llama_batch_get_one(array, len(part)))
            if code == 2 or (code != 0 and time.monotonic() > self._deadline_s):
                raise Aborted
            if code != 0:
                raise EngineRefused(f"the library could not evaluate the tokens (code {code})")

    def _logits(self) -> Floats:
        pointer = lib.llama_get_logits_ith(self._context, -1)
        return np.ctypeslib.as_array(pointer, shape=(self.n_vocab,))

    # -- the kept prefix

    def _stand_on_prefix(self) -> None:
        """Sequence 0 holds the prefix and nothing behind it."""
        if not (self._kept and self._cut(self._kept)):
            self._restore()

    def _end(self) -> int:
        return int(lib.llama_memory_seq_pos_max(self._memory, 0)) + 1

    def _cut(self, end: int) -> bool:
        """Takes away what stands behind `end`. False where the model's memory cannot (recurrent models)."""
        return bool(lib.llama_memory_seq_rm(self._memory, 0, end, -1))

    def _restore(self) -> bool:
        """The prefix from its file, or evaluated anew and saved. True when it came from the file."""
        self._kept = 0
        lib.llama_memory_clear(self._memory, True)
        loaded = self._cache is not None and self._load_prefix(self._cache)
        if not loaded:
            lib.llama_memory_clear(self._memory, True)
            self._decode(self._prefix)
            if self._cache is not None:
                self._save_prefix(self._cache)
        self._kept = len(self._prefix)
        return loaded

    def _cache_file(self, folder: Path | None, model_sha256: str, prefix: str) -> Path | None:
        if folder is None:
            return None
        parts = (model_sha256, LIBRARY_VERSION, prefix, str(self._n_ctx), str(BATCH))
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
        return folder / f"prefix-{key}.state"

    def _load_prefix(self, path: Path) -> bool:
        """The library takes a file with a flipped byte and then scores wrongly; hence a digest of our own."""
        try:
            digest = path.with_suffix(".sha256").read_text(encoding="ascii").strip()
            if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
                return False
        except (OSError, UnicodeDecodeError):
            return False
        room = (ctypes.c_int32 * len(self._prefix))()
        count = ctypes.c_size_t(0)
        read = lib.llama_state_seq_load_file(self._context, str(path).encode(), 0, room, len(room), ctypes.byref(count))
        return bool(read) and list(room[: count.value]) == self._prefix

    def _save_prefix(self, path: Path) -> None:
        """A full disk or a folder that cannot be written costs a second at the next start and nothing else."""
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        array = (ctypes.c_int32 * len(self._prefix))(*self._prefix)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            saved = lib.llama_state_seq_save_file(self._context, str(temporary).encode(), 0, array, len(array))
            if not saved:
                temporary.unlink(missing_ok=True)
                return
            digest = hashlib.sha256(temporary.read_bytes()).hexdigest()
            path.with_suffix(".sha256").write_text(digest, encoding="ascii")
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)


def grammar_of(schema_json: str) -> str:
    """GBNF of a JSON schema that `schema_limits` has let pass."""
    return str(llama_grammar.json_schema_to_gbnf(schema_json))


def _log_softmax_at(logits: Floats, token: int) -> float:
    top = float(logits.max())
    return float(logits[token]) - top - math.log(float(np.exp(logits - top).sum()))


_REASONS: tuple[tuple[str, str], ...] = (
    (r"unknown model architecture: '?([\w.-]+)", "its architecture ({}) is not known to this version of the library"),
    (r"not within the file bounds|incomplete|unexpected(ly)? end|failed to read", "it is truncated or damaged"),
    (r"invalid magic|not a gguf", "it is not a GGUF file"),
    (r"failed to allocate|out of memory|mmap failed", "there is not enough memory for it"),
)


def _why(log: str) -> str:
    """The library logs its reason and returns a null pointer; the operator gets the reason."""
    for pattern, sentence in _REASONS:
        hit = re.search(pattern, log, re.IGNORECASE)
        if hit:
            return sentence.format(hit.group(1) if hit.groups() else "")
    last = next((line for line in reversed(log.splitlines()) if "error" in line.lower() or "fail" in line.lower()), "")
    return f"the library could not load it ({last[:200] or 'no reason given'})"
