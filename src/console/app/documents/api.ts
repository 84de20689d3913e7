import { call, type ReadOptions, readSignedIn } from '#console/app/api/call.ts'
import type { Locale } from '#core/locale.ts'

/** The parts of the OpenAPI document that are shown. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, ApiResponse>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly { readonly oauth?: readonly string[] }[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, ApiResponse | Reference>>
  readonly 'x-error-codes'?: readonly string[]
}

interface Reference {
  readonly $ref: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required?: boolean
  readonly schema: Schema
}

export interface ApiResponse {
  readonly description: string
  readonly content?: Content
  readonly headers?: object
  readonly 'x-error-codes'?: readonly string[]
}

export type Content = Readonly<Record<string, Media>>

export interface Media {
  readonly schema: Schema
  readonly example?: unknown
  readonly 'x-serialized'?: string
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
}

/** An operation with its path, its method and all its parameters. */
export interface Endpoint {
  readonly path: string
  readonly method: string
  readonly operation: Operation
  readonly parameters: readonly Parameter[]
}

export const readDocument = (options: ReadOptions) => read<ApiDocument>('/api/v1/openapi.json', options)

export type ExplainedCode = { readonly status?: number } & Readonly<Record<Locale, readonly string[]>>

export const readErrors = (options: ReadOptions) =>
  read<Readonly<Record<string, ExplainedCode>>>('/docs/errors.json', options)

const read = async <T>(path: string, options: ReadOptions): Promise<T> =>
  (await readSignedIn((init) => call<T>({ method: 'GET', path, ...init }), options)).value

export const operationsOf = (api: ApiDocument): readonly Endpoint[] =>
  Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
      parameters: (operation.parameters ?? []).map((one) => resolveReference(one, api.components.parameters)),
    })),
  )

export const resolveReference = <T>(node: T | Reference, components: Readonly<Record<string, T>>): T =>
  '$ref' in Object(node) ? (components[nameOf((node as Reference).$ref)] as T) : (node as T)

export const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)

/** The example of a media type, as it stands in a request or response. */
export const exampleText = ({ example = '', 'x-serialized': text }: Partial<Media>): string =>
  text ?? (typeof example === 'string' ? example : JSON.stringify(example, null, 2))
