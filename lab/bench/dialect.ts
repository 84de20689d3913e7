import type { RequestSpec } from './load.ts'

/** How a service with paths and bodies of its own is asked for the same. */
export interface Dialect {
  readonly request: (spec: RequestSpec) => RequestSpec
  /** The body of its answer as ours would be. */
  readonly body: (body: string) => string
}

/** Of the services that have the same paths and bodies. */
export const common: Dialect = { request: (spec) => spec, body: (body) => body }
