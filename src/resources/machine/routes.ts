import { ReadOnly, type Schema } from '#core/schema.ts'
import { Created, type ObjectSchema, Replaced, Requested, received, Shown } from '#core/shapes.ts'
import type { Routes } from '#http/api/routes.ts'
import type { Declaration } from '#resources/declaration.ts'
import { type Conditions, filterOf } from './filters.ts'
import { capital, nounOf, pluralOf, spokenOf } from './labels.ts'
import type { RecordService } from './service.ts'
import { type Own, shownFields } from './storage.ts'

type Shape = 'shown' | 'made' | 'created' | 'replaced' | 'changed'
type BodySchema = Schema<Readonly<Record<string, unknown>>> & ObjectSchema

/** The schemas of answers and requests. */
export const shapesOf = (declaration: Declaration, own?: Own): Readonly<Record<Shape, BodySchema>> => {
  const { name } = declaration
  const fields = received({ ...shownFields(declaration, own), ...own?.requested })
  const { secret } = own ?? {}
  const shown = shownFields(declaration, own)
  const made = secret && Shown(`created${capital(name)}`, { ...shown, secret: ReadOnly(secret.schema) })
  return {
    shown: Shown(name, shown),
    made: made ?? Shown(name, shown),
    created: Created(name, fields),
    replaced: Replaced(name, fields),
    changed: Requested(name, fields),
  }
}

/** The routes of a declared resource. */
export const recordRoutes = (
  http: Routes,
  records: RecordService,
  { declaration, own, conditions, sortable }: RouteParts,
) => {
  const { name } = declaration
  const plural = pluralOf(declaration)
  const { shown, made, created, replaced, changed } = shapesOf(declaration, own)
  const shows = { full: shown }
  const [list, item, noun] = [`/${plural}` as const, `/${plural}/:id` as const, nounOf(name)]
  const names = `${name}Id`
  const path = item.replace(':id', `:${names}`) as typeof item
  const idIn = (params: Readonly<Record<string, string>>) => params[names] ?? ''

  http.list(
    list,
    {
      operation: `${plural}:read`,
      summary: `List ${spokenOf(plural)}`,
      shows,
      filter: filterOf(conditions),
      sortable,
      names,
    },
    records,
  )
  http.post(
    list,
    {
      ...{
        operation: `${plural}:create`,
        summary: `Create ${noun}`,
        shows: { full: made },
        body: created,
        names,
      },
      ...(own.secret && { isSecret: true as const }),
      refuses: own.refuses ?? [],
    },
    ({ body, ...asked }) => records.create(body, asked),
  )
  http.get(path, { operation: `${plural}:read`, summary: `Get ${noun}`, shows }, ({ params }) =>
    records.find(idIn(params)),
  )
  if (!own.stored)
    http.history(
      `${path}/history`,
      { operation: `${plural}:history`, summary: `Get the history of ${noun}`, shows },
      ({ params }) => records.find(idIn(params)),
    )
  const { put } = own
  const said = (line: string) => own.document?.operations?.[line]?.summary
  if (put)
    http.put(path, { operation: `${plural}:update`, summary: put.summary, shows }, ({ params, ...asked }) =>
      records.act(idIn(params), put, asked),
    )
  else
    http.put(
      path,
      {
        operation: `${plural}:update`,
        summary: said(`PUT ${path}`) ?? `Update ${noun}`,
        shows,
        body: replaced,
      },
      ({ params, body, ...asked }) => records.update(idIn(params), body, asked),
    )
  http.patch(
    path,
    {
      operation: `${plural}:update`,
      summary: said(`PATCH ${path}`) ?? `Change some fields of ${noun}`,
      shows,
      body: changed,
    },
    ({ params, body, ...asked }) => records.update(idIn(params), body, asked),
  )
  http.delete(path, { operation: `${plural}:delete`, summary: `Delete ${noun}` }, ({ params, ...asked }) =>
    records.remove(idIn(params), asked),
  )
  if (!own.stored)
    http.post(
      `${path}/restore`,
      { operation: `${plural}:restore`, summary: `Restore ${noun}`, shows },
      ({ params, ...asked }) => records.restore(idIn(params), asked),
    )
  if (own.secret)
    http.post(
      `${path}/secret`,
      {
        ...{ operation: `${plural}:update`, summary: `Renew the secret of ${noun}`, shows: { full: made } },
        ...{ isSecret: true, refuses: own.secret.refuses ?? [] },
      },
      ({ params, ...asked }) => records.renewSecret(idIn(params), asked),
    )
  for (const [action, parts] of Object.entries(records.actions))
    http.action(
      `${path}/${action}`,
      { operation: `${plural}:update`, summary: parts.summary.replace(/\.$/, ''), shows, changes: path },
      ({ params, ...asked }) => records.act(idIn(params), parts, asked),
    )
}

interface RouteParts {
  readonly declaration: Declaration
  readonly own: Own
  readonly conditions: Conditions
  readonly sortable: readonly string[]
}
