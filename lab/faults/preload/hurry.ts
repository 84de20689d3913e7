/** Loaded before the service: what it does every minute, such as sweeping, it does twice a second. */
const every = globalThis.setInterval

globalThis.setInterval = Object.assign(
  (work: () => void, ms?: number) => every(work, ms === 60_000 ? 500 : ms),
  every,
) as typeof setInterval
