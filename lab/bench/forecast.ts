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
  Math.min(instances * perSecond, (cores * 1e6) / machineUs)

/** Durable writes of all instances take turns at the log of changes. */
export const forecastWrites = ({ perSecond }: Share) => perSecond
