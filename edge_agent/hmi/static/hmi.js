// The little that must work when the page server does not: a stop that nobody took, and a page that has gone old.
(() => {
  const STOP_MS = 1500; // The server marks a press within milliseconds.
  const OLD_MS = 3000; // The server's own beat comes every second.
  let beat = null;
  let beatAt = performance.now();

  document.addEventListener("click", (event) => {
    const stop = event.target.closest("[data-id=stop]");
    if (!stop) return;
    const before = stop.getAttribute("data-heard");
    const note = stop.parentElement.querySelector(".stop-unserved");
    setTimeout(() => {
      if (note) note.hidden = stop.getAttribute("data-heard") !== before;
    }, STOP_MS);
  }, true);

  document.addEventListener("keydown", (event) => {
    if (event.key !== "F9") return;
    event.preventDefault();
    document.querySelector("[data-id=stop]")?.click();
  });

  setInterval(() => {
    const page = document.getElementById("hmi");
    if (!page) return;
    const now = page.getAttribute("data-beat");
    if (now !== beat) { beat = now; beatAt = performance.now(); }
    page.classList.toggle("is-unserved", performance.now() - beatAt > OLD_MS);
  }, 250);

  // New lines of the conversation are followed unless somebody scrolled up to read.
  const follow = () => {
    const talk = document.querySelector("[data-id=talk]");
    if (!talk || talk.dataset.followed) return;
    talk.dataset.followed = "yes";
    let low = true;
    let byHand = -1e9; // A list that was hidden scrolls by itself; only a person's scrolling counts.
    for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) {
      talk.addEventListener(kind, () => { byHand = performance.now(); }, { passive: true });
    }
    talk.addEventListener("scroll", () => {
      if (performance.now() - byHand < 1000) low = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 80;
    });
    new MutationObserver(() => { if (low) talk.scrollTop = talk.scrollHeight; })
      .observe(talk, { childList: true, subtree: true, characterData: true });
    new ResizeObserver(() => { if (low) talk.scrollTop = talk.scrollHeight; }).observe(talk);
    talk.scrollTop = talk.scrollHeight;
  };
  new MutationObserver(follow).observe(document.documentElement, { childList: true, subtree: true });
})();
