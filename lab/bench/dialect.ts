import type { RequestSpec } from './load.ts'

/** Translates requests for a service with other paths and bodies. */
export interface Dialect {
  readonly request: (spec: RequestSpec) => RequestSpec
  /** The body of its answer as ours would be. */
  readonly body: (body: string) => string
}

/** Of the services that have the same paths and bodies. */
export const common: Dialect = { request: (spec) => spec, body: (body) => body }
