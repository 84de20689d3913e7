import { ReadOnly, type Schema } from '#core/schema.ts'
import { Created, type ObjectSchema, Replaced, Requested, received, Shown } from '#core/shapes.ts'
import type { Filter } from '#http/api/query.ts'
import type { Call, Routes, Versioned, Views } from '#http/api/routes.ts'
import type { Declaration, ShippedParts } from '#resources/declaration.ts'
import type { Lists } from '#sql/listing.ts'
import { capital, inSentence, pluralOf, withArticle } from './labels.ts'
import type { RecordService } from './service.ts'
import { shownFields } from './storage.ts'

type Shape = 'shown' | 'made' | 'created' | 'replaced' | 'changed'
type Body = Readonly<Record<string, unknown>>
type BodySchema = Schema<Body> & ObjectSchema

export type Shapes = Readonly<Record<Shape, BodySchema>>

/** What answers show of a record, and what requests may contain. */
export const shapesOf = (declaration: Declaration, shipped?: ShippedParts): Shapes => {
  const { name } = declaration
  const fields = received({ ...shownFields(declaration, shipped), ...shipped?.requestFields })
  const { secret } = shipped ?? {}
  const shown = shownFields(declaration, shipped)
  const made = secret && Shown(`created${capital(name)}`, { ...shown, secret: ReadOnly(secret.schema) })
  return {
    shown: Shown(name, shown),
    made: made ?? Shown(name, shown),
    created: Created(name, fields),
    replaced: Replaced(name, fields),
    changed: Requested(name, fields),
  }
}

/** The routes that every resource has. */
export const recordRoutes = (http: Routes, records: RoutedRecords, parts: RouteParts) => {
  const { declaration, shipped, shapes, filter, sortable, common, creation, erasure } = parts
  const { refuses = [] } = common ?? {}
  const { name } = declaration
  const { act = noSuchOperation, renewSecret = noSuchOperation } = records
  const plural = pluralOf(declaration)
  const { made, created, replaced, changed } = shapes
  const shows = parts.views ?? { full: shapes.shown }
  const full = { full: shapes.shown }
  const [list, item, noun] = [`/${plural}` as const, `/${plural}/:id` as const, withArticle(name)]
  const names = `${name}Id`
  const path = item.replace(':id', `:${names}`) as typeof item
  const idIn = (params: Readonly<Record<string, string>>) => params[names] ?? ''
  const summaryOf = (line: string) => shipped.document?.operations?.[line]?.summary
  const update = { operation: `${plural}:update`, ...common }

  http.list(
    list,
    {
      ...{ operation: parts.listing ?? `${plural}:read`, summary: `List ${inSentence(plural)}`, shows },
      ...{ filter, sortable, names },
    },
    records,
  )
  http.post(
    list,
    {
      ...{ operation: `${plural}:create`, summary: `Create ${noun}`, body: created, names },
      ...{
        shows: { ...shows, full: made },
        ...(shipped.secret && { showsSecret: true as const }),
        ...creation,
      },
    },
    ({ body, ...asked }) => records.create(body, asked),
  )
  http.get(path, { operation: `${plural}:read`, summary: `Get ${noun}`, shows, refuses }, ({ params }) =>
    records.find(idIn(params)),
  )
  if (!shipped.storageFields)
    http.history(
      `${path}/history`,
      { operation: `${plural}:history`, summary: `Get the history of ${noun}`, shows: full, refuses },
      ({ params }) => records.find(idIn(params)),
    )
  const { bodylessPut } = shipped
  if (bodylessPut)
    http.put(path, { ...update, summary: bodylessPut.summary, shows }, ({ params, ...asked }) =>
      act(idIn(params), bodylessPut, asked),
    )
  else
    http.put(
      path,
      { ...update, summary: summaryOf(`PUT ${path}`) ?? `Update ${noun}`, shows, body: replaced },
      ({ params, body, ...asked }) => records.update(idIn(params), body, asked),
    )
  http.patch(
    path,
    {
      ...{ ...update, summary: summaryOf(`PATCH ${path}`) ?? `Change some fields of ${noun}` },
      ...{ shows, body: changed },
    },
    ({ params, body, ...asked }) => records.update(idIn(params), body, asked),
  )
  http.delete(
    path,
    {
      ...{ ...common, operation: `${plural}:delete`, summary: `Delete ${noun}` },
      ...(erasure && { erasure }),
    },
    ({ params, ...asked }) => records.remove(idIn(params), asked),
  )
  if (!shipped.storageFields)
    http.post(
      `${path}/restore`,
      {
        ...{ operation: `${plural}:restore`, summary: `Restore ${noun}`, shows },
        refuses: [...refuses, ...(creation?.refuses ?? [])],
      },
      ({ params, ...asked }) => records.restore(idIn(params), asked),
    )
  if (shipped.secret)
    http.post(
      `${path}/secret`,
      {
        ...{ operation: `${plural}:update`, summary: `Renew the secret of ${noun}`, shows: { full: made } },
        ...{ showsSecret: true, refuses: shipped.secret.refuses ?? [] },
      },
      ({ params, ...asked }) => renewSecret(idIn(params), asked),
    )
  for (const [action, { summary, ...does }] of Object.entries(declaration.actions ?? {}))
    http.action(
      `${path}/${action}`,
      { ...update, summary: summary.replace(/\.$/, ''), shows, changes: path },
      ({ params, ...asked }) => act(idIn(params), { ...does, name: action }, asked),
    )
}

type Item = Versioned & object
type ChangeCall = Pick<Call, 'principal' | 'expected' | 'actor' | 'erases'>

export interface RoutedRecords extends Lists<Item> {
  find(id: string): Promise<Item>
  create(body: Body, asked: ChangeCall & Pick<Call<string, unknown, unknown>, 'prepared'>): Promise<Item>
  update(id: string, body: Body, asked: ChangeCall): Promise<Item>
  remove(id: string, asked: ChangeCall): Promise<undefined>
  restore(id: string, asked: ChangeCall): Promise<Item>
  /** Given if the declaration has actions or a PUT without a body. */
  readonly act?: RecordService['act']
  /** Given if records have a secret. */
  readonly renewSecret?: RecordService['renewSecret']
}

/** Stands for an operation without a route, so it is never called. */
const noSuchOperation = (): never => {
  throw new TypeError('this resource has no such operation')
}

interface RouteParts {
  readonly declaration: Pick<Declaration, 'name' | 'plural' | 'actions'>
  readonly shipped: Pick<ShippedParts, 'storageFields' | 'secret' | 'bodylessPut' | 'document'>
  readonly shapes: Shapes
  /** By default the full view alone. */
  readonly views?: Views
  readonly filter: Filter
  readonly sortable: readonly string[]
  /** The row of the policy for lists, if it differs from the row for reading. */
  readonly listing?: string
  readonly common?: { readonly refuses: readonly string[]; readonly requiresVersion: boolean }
  readonly creation?: {
    readonly refuses: readonly string[]
    prepare?(body: Body): Promise<unknown>
  }
  /** The row of the policy for an erasure, if there is one. */
  readonly erasure?: string
}
