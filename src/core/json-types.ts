import type { Fields, JsonOf } from './schema.ts'

/** The JSON of a response. */
export type ResponseJson<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { writeOnly: true } ? never : K]: JsonOf<F[K]>
}

/** The JSON of a request. The service ignores read-only fields, so a caller may send back what it read. */
export type RequestJson<F extends Fields> = {
  readonly [K in keyof F as IsOptional<F[K]> extends true ? never : K]: JsonOf<F[K]>
} & { readonly [K in keyof F as IsOptional<F[K]> extends true ? K : never]?: JsonOf<F[K]> }

/** The JSON of a creation. Fields with a starting value may be left out. */
export type CreationJson<F extends Fields> = RequestJson<{
  readonly [K in keyof F]: F[K] extends { starting: unknown } ? F[K] & { readOnly: true } : F[K]
}>

type IsOptional<S> = S extends { readOnly: true } ? true : null extends JsonOf<S> ? true : false
