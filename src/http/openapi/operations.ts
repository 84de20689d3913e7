import { changePageSchema } from '#http/api/cloud-event.ts'
import { historyPageSchema } from '#http/api/history.ts'
import { changesItem, hasLastModified, listRoot, type Route } from '#http/api/routes.ts'
import { mediaTypes } from '#http/message/representation/format.ts'
import { writeXml, xmlElement, xmlPrologue } from '#http/message/representation/xml-write.ts'
import { type JsonSchema, schemaName } from '#http/message/schema.ts'
import { batchBody, batchContent } from './batches.ts'
import { type ErrorSet, refusalsOf } from './errors.ts'
import { eventStreamMedia, feedSchema } from './feeds.ts'
import { headerReferences } from './headers.ts'
import { historySchema, itemSchema, listSchemas } from './lists.ts'
import { capitalize, given, type Node, reference } from './node.ts'
import { type Aliases, hasAlias, parametersOf } from './parameters.ts'
import type { OperationDocument } from './room.ts'
import type { Purpose, SchemaSet } from './schemas.ts'
import { type Access, securityOf } from './security.ts'

interface OperationParts {
  readonly route: Route
  readonly itemRoute: Route | undefined
  readonly text: OperationDocument | undefined
  readonly tag: string
  readonly access: Access
  /** A token needs one of these. */
  readonly scopes: readonly string[]
  readonly keyScopes: readonly string[]
  readonly isDeprecated: boolean
  readonly aliases: Aliases
}

interface Components {
  readonly schemas: SchemaSet
  readonly errors: ErrorSet
}

export const operation = (parts: OperationParts, components: Components): Node => {
  const { route, itemRoute, text, tag, access } = parts
  const codes = refusalsOf(route, itemRoute, access)
  return given({
    tags: [tag],
    operationId: text?.id ?? idOf(route.summary),
    summary: route.summary,
    description: text?.description ?? `${route.summary}.`,
    deprecated: parts.isDeprecated || undefined,
    security: securityOf(parts.scopes, parts),
    parameters: parametersOf(route, hasLastModified(itemRoute ?? route), parts.aliases),
    requestBody: route.isBatch
      ? batchBody(text?.request, components.schemas)
      : route.upload
        ? { required: true, content: { '*/*': fileMedia } }
        : route.body && requestBody(parts, components),
    responses: { ...successes(parts, components), ...components.errors.responsesFor(codes) },
    'x-error-codes': codes,
  })
}

const fileMedia: Node = {
  schema: { type: 'string', format: 'binary' },
  example: 'title,kind\nfirst,a\nsecond,b\n',
}

const idOf = (summary: string) => {
  const [verb = '', ...rest] = summary.split(/\W+/).filter((word) => !/^(an?|the|some|of)$/.test(word))
  return verb.toLowerCase() + rest.map(capitalize).join('')
}

const purposes: Readonly<Record<string, Purpose>> = { POST: 'new', PUT: 'update', PATCH: 'patch' }

const requestBody = ({ route, itemRoute, text }: OperationParts, { schemas }: Components): Node => {
  const body = route.body as JsonSchema
  const view = itemRoute?.shows.full ?? route.shows.full
  const same = [view, route.shows.full].find(({ xml }) => xml?.name === body.xml?.name)
  const purpose = purposes[route.method] ?? 'new'
  const nested = Object.values(view.properties ?? {}).find(({ xml }) => xml?.name === body.xml?.name)
  const schema = schemas.object(body, purpose, { shown: same ?? nested })
  if (route.method === 'PATCH') {
    const example = text?.request
    return { required: true, content: { 'application/merge-patch+json': given({ schema, example }) } }
  }
  return { required: true, content: bothForms(schema, text?.request, body) }
}

const bothForms = (schema: Node, example: object | undefined, source: JsonSchema): Node => ({
  [mediaTypes.json]: given({ schema, example }),
  // Tools check an example against the schema, so the XML text is given next to the value.
  [mediaTypes.xml]: given({ schema, example, 'x-serialized': example && xmlExample(example, source) }),
})

/** In a list, every element carries its own namespace declarations. */
const xmlExample = (example: object, source: JsonSchema): string => {
  const { items } = source
  const root = schemaName(source)
  if (!items) return writeXml(root, example, source)
  const elements = (example as readonly object[]).map((item) => xmlElement(schemaName(items), item, items))
  return `${xmlPrologue}<${root}>${elements.join('')}</${root}>`
}

const validators = ['ETag', 'Cache-Control', 'Vary']
const minimal = ['Preference-Applied']
const replayed = ['Idempotent-Replayed']
const byOrigin = { Vary: reference('headers', 'VaryOfOrigin') }

const successes = (parts: OperationParts, { schemas }: Components): Node => {
  const { route } = parts
  if (route.feed) return feedSuccess(route.feed, parts.text?.answer, schemas)
  if (route.isBatch) {
    const content = batchContent(parts.text?.answer, schemas)
    const fields = ['Cache-Control', 'Vary', 'Change-Cursor', ...replayed]
    return { 200: { ...answer('The outcome of each operation.', fields), content } }
  }
  if (route.method === 'DELETE') return { 204: answer('The item was deleted.', ['Change-Cursor'], byOrigin) }
  if (route.isHistory) {
    const content = bothForms(historySchema(route, schemas), parts.text?.answer, historyPageSchema(route))
    const fields = ['Cache-Control', 'Vary', 'Content-Encoding', 'Link']
    return { 200: { ...answer('The changes of the record, newest first.', fields), content } }
  }
  if (route.list) {
    const schema = listSchemas(route, schemas)
    const all = { items: route.shows.full, xml: { name: listRoot(route) } }
    const fields = [...validators, 'X-Total-Count', 'Content-Encoding', 'Change-Cursor']
    const tagged = { ETag: reference('headers', 'ETagOfList'), ...secretCaching(route) }
    return {
      200: {
        ...answer('The list, or one page of it.', fields, tagged),
        content: bothForms(schema, parts.text?.answer, all),
      },
      304: answer('The caller already has the current version.', validators, tagged),
    }
  }
  const content = bothForms(itemSchema(route, schemas), parts.text?.answer, route.shows.full)
  const stamp = hasLastModified(route) ? [...validators, 'Last-Modified'] : validators
  if (route.method === 'GET') {
    const located = hasAlias(route.path, parts.aliases) ? [...stamp, 'Content-Location'] : stamp
    return {
      200: { ...answer('The item.', [...located, 'Content-Encoding']), content },
      304: answer('The caller already has the current version.', located),
    }
  }
  const keyed = ['Change-Cursor', ...(route.method === 'PUT' || route.showsSecret ? [] : replayed)]
  if (!changesItem(route)) {
    const located = [...(route.showsSecret ? [] : stamp), ...(route.idProperty ? ['Location'] : [])]
    return {
      201: {
        ...answer('The item was created.', [...located, ...minimal, ...keyed], secretCaching(route)),
        content,
      },
    }
  }
  return {
    200: { ...answer('The item after the change.', [...stamp, ...keyed]), content },
    204: answer('The item was changed; the caller asked for no body.', [...stamp, ...minimal, ...keyed]),
  }
}

const secretCaching = ({ showsSecret }: Route): Node =>
  showsSecret ? { 'Cache-Control': reference('headers', 'Cache-ControlOfSecret') } : {}

const feedSuccess = (types: readonly string[], example: object | undefined, schemas: SchemaSet): Node => {
  const schema = feedSchema(types, schemas)
  const fields = ['Cache-Control', 'Vary', 'Content-Encoding', 'X-Accel-Buffering']
  return {
    200: {
      ...answer('Some changes, or a stream of them.', fields),
      content: {
        ...bothForms(schema, example, changePageSchema),
        'text/event-stream': eventStreamMedia,
      },
    },
  }
}

const answer = (description: string, fields: readonly string[], others: Node = {}): Node => ({
  description,
  headers: { ...headerReferences(fields), ...others },
})
