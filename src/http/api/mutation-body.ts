import { parseBody, type RawBody } from '#http/message/body/body.ts'
import type { BodyReader } from '#http/message/body/validation.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { ApiContext } from './api-context.ts'
import { readItem } from './reading.ts'
import { mergesPatch, type Route, type Versioned } from './routes.ts'

export type BodyReaders = (schema: JsonSchema) => BodyReader

interface MutationBody {
  /** The fields to be written. */
  readonly body: unknown
  /** A patch that names no field leaves the item, its version and its times as they are. */
  readonly isEmptyPatch: boolean
}

/** Reads the bodies of a route's requests. `found` is the item that a request changes, if it has already been read. */
export const mutationBodies = (
  route: Route,
  itemRoute: Route | undefined,
  { writer, bodyReaderFor }: Pick<ApiContext, 'writer' | 'bodyReaderFor'>,
) => {
  const isPatch = mergesPatch(route)
  const itemSchema = itemRoute?.shows.full ?? {}
  const show = (item: Versioned): unknown =>
    JSON.parse(writer.uncachedElement(item, { schema: itemSchema, format: 'json' }))

  const schemaFor = ({ admission }: AdmittedRequest) =>
    ((admission.isOwn && route.ownBody) || route.body) as JsonSchema

  return async (
    request: AdmittedRequest,
    raw: RawBody,
    found: Versioned | undefined,
  ): Promise<MutationBody> => {
    try {
      const schema = schemaFor(request)
      const sent = parseBody(raw, schema)
      const merged = found && isPatch ? mergePatch(show(found), sent) : sent
      const readCurrent = itemRoute && (async () => show(found ?? (await readItem(itemRoute, request))))
      const body = await bodyReaderFor(schema)(merged, readCurrent)
      return { body, isEmptyPatch: isPatch && Object.keys(Object(sent)).length === 0 }
    } catch (refused) {
      // A missing item is reported before a wrong body (decision 0005). Only a refused request pays for this lookup.
      if (itemRoute && !found && route.method !== 'POST') await readItem(itemRoute, request)
      throw refused
    }
  }
}

/**
 * Applies a merge patch to a document (RFC 7396), except that a removed field stays with the value undefined. Our schemas treat
 * it as absent, and a name that they do not know is still refused.
 */
export const mergePatch = (document: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(document) ? document : {}))
  for (const [name, value] of Object.entries(patch)) {
    merged.set(name, value === null ? undefined : mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
