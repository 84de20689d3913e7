import type { Fields, JsonOf } from './schema.ts'

/** The JSON of a response. */
export type ShownJson<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { writeOnly: true } ? never : K]: JsonOf<F[K]>
}

/** The JSON of a request. Read-only fields may be sent back, and are ignored. */
export type RequestedJson<F extends Fields> = {
  readonly [K in keyof F as MayBeLeftOut<F[K]> extends true ? never : K]: JsonOf<F[K]>
} & { readonly [K in keyof F as MayBeLeftOut<F[K]> extends true ? K : never]?: JsonOf<F[K]> }

/** The JSON of a creation. Fields with a starting value may be left out. */
export type CreatedJson<F extends Fields> = RequestedJson<{
  readonly [K in keyof F]: F[K] extends { starting: unknown } ? F[K] & { readOnly: true } : F[K]
}>

type MayBeLeftOut<S> = S extends { readOnly: true } ? true : null extends JsonOf<S> ? true : false
