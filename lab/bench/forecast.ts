/** What one instance does with as many callers as each of several instances would have. */
export interface Share {
  readonly perSecond: number
  /** Processor time of everything that runs, per request. */
  readonly machineUs: number
}

export interface Plan {
  readonly instances: number
  readonly cores: number
}

/** Reads need nothing but processors: the instances add up until the cores are full. */
export const forecastReads = ({ perSecond, machineUs }: Share, { instances, cores }: Plan) =>
  Math.min(instances * perSecond, (cores * microsecondsPerSecond) / machineUs)

/**
 * Durable writes take turns at two places that all instances share: the cores, and the disk, which syncs one commit after the
 * other. An instance has `lanes` commits under way at once; what one instance left unused shows how long a commit is at the disk.
 */
export const forecastWrites = (share: Share, { instances, ...one }: WritePlan) => {
  const diskUs = diskTime(share, one)
  return throughput(instances * one.lanes, { cores: one.cores, coreUs: share.machineUs, diskUs })
}

interface WritePlan extends Plan {
  readonly lanes: number
}

const microsecondsPerSecond = 1e6
const precisionUs = 0.01

interface Stations {
  readonly cores: number
  readonly coreUs: number
  readonly diskUs: number
}

/** The time at the disk for which the model predicts what was measured: the longer the time, the lower the throughput. */
const diskTime = ({ perSecond, machineUs }: Share, { cores, lanes }: Omit<WritePlan, 'instances'>) => {
  let [tooShort, tooLong] = [0, (lanes * microsecondsPerSecond) / perSecond]
  while (tooLong - tooShort > precisionUs) {
    const diskUs = (tooShort + tooLong) / 2
    if (throughput(lanes, { cores, coreUs: machineUs, diskUs }) > perSecond) tooShort = diskUs
    else tooLong = diskUs
  }
  return tooShort
}

/** A closed queueing network of two stations (Gordon and Newell 1967): several cores that serve one queue, and one disk. */
const throughput = (lanes: number, stations: Stations) =>
  (microsecondsPerSecond * weight(lanes - 1, stations)) / weight(lanes, stations)

/** The sum over every way to have so many lanes at the cores and the others at the disk. */
const weight = (lanes: number, { cores, coreUs, diskUs }: Stations) => {
  let sum = 0
  let atCores = 1
  for (let count = 0; count <= lanes; count++) {
    if (count > 0) atCores *= coreUs / Math.min(count, cores)
    sum += atCores * diskUs ** (lanes - count)
  }
  return sum
}
