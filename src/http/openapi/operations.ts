import { changePageSchema } from '#http/api/cloud-event.ts'
import { historyPageSchema } from '#http/api/history.ts'
import { changesItem, hasLastModified, listRoot, type Route } from '#http/api/routes.ts'
import { mediaTypes } from '#http/message/representation/format.ts'
import { writeXml, xmlElement, xmlPrologue } from '#http/message/representation/xml-write.ts'
import { type JsonSchema, schemaName } from '#http/message/schema.ts'
import { batchBody, batchContent } from './batches.ts'
import { type ErrorSet, refusalsOf } from './errors.ts'
import { addFeedSchemas, eventStreamMedia } from './feeds.ts'
import { headerReferences } from './headers.ts'
import { historySchema, itemSchema, listSchemas } from './lists.ts'
import { capitalize, type Node, reference, withoutUndefined } from './node.ts'
import { type AliasNotes, hasAlias, parametersOf } from './parameters.ts'
import type { OperationDocument } from './resource-document.ts'
import type { Purpose, SchemaSet } from './schemas.ts'
import { type Access, securityOf } from './security.ts'

interface OperationOptions {
  readonly route: Route
  readonly itemRoute: Route | undefined
  readonly text: OperationDocument | undefined
  readonly tag: string
  readonly access: Access
  /** The scopes of which a token needs one. */
  readonly scopes: readonly string[]
  readonly keyScopes: readonly string[]
  readonly isDeprecated: boolean
  readonly aliasNotes: AliasNotes
}

interface Components {
  readonly schemas: SchemaSet
  readonly errors: ErrorSet
}

export const operation = (options: OperationOptions, components: Components): Node => {
  const { route, itemRoute, text, tag, access } = options
  const codes = refusalsOf(route, itemRoute, access)
  return withoutUndefined({
    tags: [tag],
    operationId: text?.id ?? operationIdOf(route.summary),
    summary: route.summary,
    description: text?.description ?? `${route.summary}.`,
    deprecated: options.isDeprecated || undefined,
    security: securityOf(options.scopes, options),
    parameters: parametersOf(route, hasLastModified(itemRoute ?? route), options.aliasNotes),
    requestBody: route.isBatch
      ? batchBody(text?.request, components.schemas)
      : route.upload
        ? { required: true, content: { '*/*': fileMedia } }
        : route.body && requestBody(options, components),
    responses: { ...successes(options, components), ...components.errors.responsesFor(codes) },
    'x-error-codes': codes,
  })
}

const fileMedia: Node = {
  schema: { type: 'string', format: 'binary' },
  example: 'title,kind\nfirst,a\nsecond,b\n',
}

const operationIdOf = (summary: string) => {
  const [verb = '', ...rest] = summary.split(/\W+/).filter((word) => !/^(an?|the|some|of)$/.test(word))
  return verb.toLowerCase() + rest.map(capitalize).join('')
}

const purposes: Readonly<Record<string, Purpose>> = { POST: 'new', PUT: 'update', PATCH: 'patch' }

const requestBody = ({ route, itemRoute, text }: OperationOptions, { schemas }: Components): Node => {
  const body = route.body as JsonSchema
  const view = itemRoute?.shows.full ?? route.shows.full
  const isOfBody = ({ xml }: JsonSchema) => xml?.name === body.xml?.name
  // Fields that a request may only repeat get their types from the response.
  const responseSchema = [view, route.shows.full, ...Object.values(view.properties ?? {})].find(isOfBody)
  const purpose = purposes[route.method] ?? 'new'
  const schema = schemas.addObject(body, purpose, { shown: responseSchema })
  if (route.method === 'PATCH') {
    const example = text?.request
    return {
      required: true,
      content: { 'application/merge-patch+json': withoutUndefined({ schema, example }) },
    }
  }
  return { required: true, content: jsonAndXml(schema, text?.request, body) }
}

const jsonAndXml = (schema: Node, example: object | undefined, source: JsonSchema): Node => ({
  [mediaTypes.json]: withoutUndefined({ schema, example }),
  // Tools check `example` against the schema, so it is a value, and the XML text stands in `x-serialized`.
  [mediaTypes.xml]: withoutUndefined({
    schema,
    example,
    'x-serialized': example && xmlExample(example, source),
  }),
})

/** An example as XML text. In a list, each element has the namespace declarations, not the root. */
const xmlExample = (example: object, source: JsonSchema): string => {
  const { items } = source
  const root = schemaName(source)
  if (!items) return writeXml(root, example, source)
  const elements = (example as readonly object[]).map((item) => xmlElement(schemaName(items), item, items))
  return `${xmlPrologue}<${root}>${elements.join('')}</${root}>`
}

const validatorFields = ['ETag', 'Cache-Control', 'Vary']
const preferenceFields = ['Preference-Applied']
const replayFields = ['Idempotent-Replayed']
const byOrigin = { Vary: reference('headers', 'VaryOfOrigin') }

const successes = (options: OperationOptions, { schemas }: Components): Node => {
  const { route } = options
  if (route.feed) return feedSuccess(route.feed, options.text?.answer, schemas)
  if (route.isBatch) {
    const content = batchContent(options.text?.answer, schemas)
    const fields = ['Cache-Control', 'Vary', 'Change-Cursor', ...replayFields]
    return { 200: { ...response('The outcome of each operation.', fields), content } }
  }
  if (route.method === 'DELETE')
    return { 204: response('The item was deleted.', ['Change-Cursor'], byOrigin) }
  if (route.isHistory) {
    const content = jsonAndXml(historySchema(route, schemas), options.text?.answer, historyPageSchema(route))
    const fields = ['Cache-Control', 'Vary', 'Content-Encoding', 'Link']
    return { 200: { ...response('The changes of the record, newest first.', fields), content } }
  }
  if (route.list) {
    const schema = listSchemas(route, schemas)
    const allItems = { items: route.shows.full, xml: { name: listRoot(route) } }
    const fields = [...validatorFields, 'X-Total-Count', 'Content-Encoding', 'Change-Cursor']
    const listHeaders = { ETag: reference('headers', 'ETagOfList'), ...secretCaching(route) }
    return {
      200: {
        ...response('The list, or one page of it.', fields, listHeaders),
        content: jsonAndXml(schema, options.text?.answer, allItems),
      },
      304: response('The caller already has the current version.', validatorFields, listHeaders),
    }
  }
  const content = jsonAndXml(itemSchema(route, schemas), options.text?.answer, route.shows.full)
  const tagFields = hasLastModified(route) ? [...validatorFields, 'Last-Modified'] : validatorFields
  if (route.method === 'GET') {
    const itemFields = hasAlias(route.path, options.aliasNotes)
      ? [...tagFields, 'Content-Location']
      : tagFields
    return {
      200: { ...response('The item.', [...itemFields, 'Content-Encoding']), content },
      304: response('The caller already has the current version.', itemFields),
    }
  }
  const changeFields = ['Change-Cursor', ...(route.method === 'PUT' || route.showsSecret ? [] : replayFields)]
  if (!changesItem(route)) {
    const createdFields = [...(route.showsSecret ? [] : tagFields), ...(route.idProperty ? ['Location'] : [])]
    return {
      201: {
        ...response(
          'The item was created.',
          [...createdFields, ...preferenceFields, ...changeFields],
          secretCaching(route),
        ),
        content,
      },
    }
  }
  return {
    200: { ...response('The item after the change.', [...tagFields, ...changeFields]), content },
    204: response('The item was changed; the caller asked for no body.', [
      ...tagFields,
      ...preferenceFields,
      ...changeFields,
    ]),
  }
}

const secretCaching = ({ showsSecret }: Route): Node =>
  showsSecret ? { 'Cache-Control': reference('headers', 'Cache-ControlOfSecret') } : {}

const feedSuccess = (types: readonly string[], example: object | undefined, schemas: SchemaSet): Node => {
  const schema = addFeedSchemas(types, schemas)
  const fields = ['Cache-Control', 'Vary', 'Content-Encoding', 'X-Accel-Buffering']
  return {
    200: {
      ...response('Some changes, or a stream of them.', fields),
      content: {
        ...jsonAndXml(schema, example, changePageSchema),
        'text/event-stream': eventStreamMedia,
      },
    },
  }
}

const response = (description: string, fields: readonly string[], others: Node = {}): Node => ({
  description,
  headers: { ...headerReferences(fields), ...others },
})
