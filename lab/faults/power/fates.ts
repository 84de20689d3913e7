import type { Change, Fate } from './disk.ts'

export type FateName = 'dropped' | 'kept' | 'some' | 'torn' | 'last'

/** The ways in which a disk may lose data. A disk that keeps what was synced is allowed every one of them. */
export const fates: Readonly<Record<FateName, (random: () => number) => Fate>> = {
  dropped: () => ({ keeps: () => [], keepsName: () => false }),
  kept: () => ({ keeps: (change) => [change], keepsName: () => true }),
  some: (random) => ({
    keeps: (change) => (random() < 0.5 ? [change] : []),
    keepsName: () => random() < 0.5,
  }),
  torn: (random) => ({
    keeps: (change) => sectors(change).filter(() => random() < 0.5),
    keepsName: () => random() < 0.5,
  }),
  last: () => ({
    keeps: (change, index, all) => (index === all.length - 1 ? [change] : []),
    keepsName: () => true,
  }),
}

const sectorBytes = 512

/** The sectors of a write, which a disk writes in any order. */
const sectors = (change: Change): Change[] => {
  if (change.is === 'truncate') return [change]
  const parts: Change[] = []
  for (let from = 0; from < change.bytes.length; ) {
    const to = Math.min(change.bytes.length, from + sectorBytes - ((change.at + from) % sectorBytes))
    parts.push({ is: 'write', bytes: change.bytes.subarray(from, to), at: change.at + from })
    from = to
  }
  return parts
}
