import { ReadOnly, type Schema } from '#core/schema.ts'
import {
  CreationOf,
  type ObjectSchema,
  ReplacementOf,
  RequestOf,
  ResponseOf,
  withTimesAsText,
} from '#core/shapes.ts'
import type { Filter } from '#http/api/query.ts'
import type { RouteCall, Routes, Versioned, Views } from '#http/api/routes.ts'
import type { Declaration, ShippedParts } from '#resources/declaration.ts'
import type { Lists } from '#sql/listing.ts'
import { capital, inSentence, pluralOf, withArticle } from './labels.ts'
import type { RecordService } from './service.ts'
import { answerFields } from './storage.ts'

type Body = Readonly<Record<string, unknown>>
type BodySchema = Schema<Body> & ObjectSchema

export interface RecordSchemas {
  readonly record: BodySchema
  /** The record with its secret, which only the answer to its creation shows. Without a secret, the same as `record`. */
  readonly createdRecord: BodySchema
  readonly createBody: BodySchema
  readonly replaceBody: BodySchema
  readonly patchBody: BodySchema
}

/** The schemas of a record in answers, and of the bodies of requests. */
export const recordSchemasOf = (declaration: Declaration, shipped?: ShippedParts): RecordSchemas => {
  const { name } = declaration
  const answer = answerFields(declaration, shipped)
  const fields = withTimesAsText({ ...answer, ...shipped?.requestFields })
  const { secret } = shipped ?? {}
  const record = ResponseOf(name, answer)
  return {
    record,
    createdRecord: secret
      ? ResponseOf(`created${capital(name)}`, { ...answer, secret: ReadOnly(secret.schema) })
      : record,
    createBody: CreationOf(name, fields),
    replaceBody: ReplacementOf(name, fields),
    patchBody: RequestOf(name, fields),
  }
}

/** The routes that every resource has. */
export const recordRoutes = (http: Routes, records: RecordOperations, context: RouteContext) => {
  const { declaration, shipped, schemas, filter, sortable, itemOptions, creation, erasureOperation } = context
  const { refusals = [] } = itemOptions ?? {}
  const { name } = declaration
  const { act = noSuchOperation, renewSecret = noSuchOperation } = records
  const plural = pluralOf(declaration)
  const { createdRecord, createBody, replaceBody, patchBody } = schemas
  const shows = context.views ?? { full: schemas.record }
  const fullView = { full: schemas.record }
  const [listPath, itemPath, noun] = [`/${plural}` as const, `/${plural}/:id` as const, withArticle(name)]
  const idProperty = `${name}Id`
  const path = itemPath.replace(':id', `:${idProperty}`) as typeof itemPath
  const recordIdIn = (params: Readonly<Record<string, string>>) => params[idProperty] ?? ''
  const summaryOf = (methodAndPath: string) => shipped.document?.operations?.[methodAndPath]?.summary
  const updateOptions = { operation: `${plural}:update`, ...itemOptions }

  http.list(
    listPath,
    {
      operation: context.listOperation ?? `${plural}:read`,
      summary: `List ${inSentence(plural)}`,
      shows,
      filter,
      sortable,
      idProperty,
    },
    records,
  )
  http.post(
    listPath,
    {
      operation: `${plural}:create`,
      summary: `Create ${noun}`,
      body: createBody,
      idProperty,
      shows: { ...shows, full: createdRecord },
      ...(shipped.secret && { showsSecret: true as const }),
      ...creation,
    },
    ({ body, ...call }) => records.create(body, call),
  )
  http.get(path, { operation: `${plural}:read`, summary: `Get ${noun}`, shows, refusals }, ({ params }) =>
    records.find(recordIdIn(params)),
  )
  if (!shipped.storageFields)
    http.history(
      `${path}/history`,
      {
        operation: `${plural}:history`,
        summary: `Get the history of ${noun}`,
        shows: fullView,
        refusals,
      },
      ({ params }) => records.find(recordIdIn(params)),
    )
  const { bodylessPut } = shipped
  if (bodylessPut)
    http.put(path, { ...updateOptions, summary: bodylessPut.summary, shows }, ({ params, ...call }) =>
      act(recordIdIn(params), bodylessPut, call),
    )
  else
    http.put(
      path,
      { ...updateOptions, summary: summaryOf(`PUT ${path}`) ?? `Update ${noun}`, shows, body: replaceBody },
      ({ params, body, ...call }) => records.update(recordIdIn(params), body, call),
    )
  http.patch(
    path,
    {
      ...updateOptions,
      summary: summaryOf(`PATCH ${path}`) ?? `Change some fields of ${noun}`,
      shows,
      body: patchBody,
    },
    ({ params, body, ...call }) => records.update(recordIdIn(params), body, call),
  )
  http.delete(
    path,
    {
      ...itemOptions,
      operation: `${plural}:delete`,
      summary: `Delete ${noun}`,
      ...(erasureOperation && { erasureOperation }),
    },
    ({ params, ...call }) => records.remove(recordIdIn(params), call),
  )
  if (!shipped.storageFields)
    http.post(
      `${path}/restore`,
      {
        operation: `${plural}:restore`,
        summary: `Restore ${noun}`,
        shows,
        refusals: [...refusals, ...(creation?.refusals ?? [])],
      },
      ({ params, ...call }) => records.restore(recordIdIn(params), call),
    )
  if (shipped.secret)
    http.post(
      `${path}/secret`,
      {
        operation: `${plural}:update`,
        summary: `Renew the secret of ${noun}`,
        shows: { full: createdRecord },
        showsSecret: true,
        refusals: shipped.secret.refusals ?? [],
      },
      ({ params, ...call }) => renewSecret(recordIdIn(params), call),
    )
  for (const [action, { summary, ...rest }] of Object.entries(declaration.actions ?? {}))
    http.action(
      `${path}/${action}`,
      { ...updateOptions, summary: summary.replace(/\.$/, ''), shows, changedPath: path },
      ({ params, ...call }) => act(recordIdIn(params), { ...rest, name: action }, call),
    )
}

type Item = Versioned & object
type ChangeCall = Pick<RouteCall, 'principal' | 'expectedVersion' | 'actor' | 'isErasure'>

export interface RecordOperations extends Lists<Item> {
  find(id: string): Promise<Item>
  create(body: Body, call: ChangeCall & Pick<RouteCall<string, unknown, unknown>, 'prepared'>): Promise<Item>
  update(id: string, body: Body, call: ChangeCall): Promise<Item>
  remove(id: string, call: ChangeCall): Promise<undefined>
  restore(id: string, call: ChangeCall): Promise<Item>
  /** Absent unless the declaration has actions or a PUT without a body. */
  readonly act?: RecordService['act']
  /** Absent unless records have a secret. */
  readonly renewSecret?: RecordService['renewSecret']
}

/** The default for an operation that has no route and is therefore never called. */
const noSuchOperation = (): never => {
  throw new TypeError('this resource has no such operation')
}

interface RouteContext {
  readonly declaration: Pick<Declaration, 'name' | 'plural' | 'actions'>
  readonly shipped: Pick<ShippedParts, 'storageFields' | 'secret' | 'bodylessPut' | 'document'>
  readonly schemas: RecordSchemas
  /** By default only the full view. */
  readonly views?: Views
  readonly filter: Filter
  readonly sortable: readonly string[]
  /** The operation of the policy for lists, if it differs from the one for reading a record. */
  readonly listOperation?: string
  /** The options of all routes of one record. */
  readonly itemOptions?: { readonly refusals: readonly string[]; readonly requiresVersion: boolean }
  readonly creation?: {
    readonly refusals: readonly string[]
    prepare?(body: Body): Promise<unknown>
  }
  /** The operation of the policy for a DELETE that also erases the history, if there is one. */
  readonly erasureOperation?: string
}
