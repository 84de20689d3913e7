import type { Code, ErrorTable } from '#core/error-table.ts'
import { itemRouteOf, type Route } from '#http/api/routes.ts'
import { schemaName } from '#http/message/schema.ts'
import { errorSchemas, errorSet, refusalsOfDocument } from './errors.ts'
import { deliveryOf } from './feeds.ts'
import { headerReferences, responseHeaders } from './headers.ts'
import { capitalize, type Node } from './node.ts'
import { operation } from './operations.ts'
import { headerParameters, parametersOfGetDocument } from './parameters.ts'
import type { ResourceDocument } from './resource-document.ts'
import { schemaSet } from './schemas.ts'
import { type Access, securitySchemes } from './security.ts'

export interface DocumentOptions {
  /** The service in one line. */
  readonly summary: string
  readonly routes: readonly Route[]
  /** The base address of the API, such as `/api/v1` or `https://api.example.com/api/v1`. */
  readonly server: string
  readonly access: Access
  /** The scopes that the policy gives an operation: a token needs one of them. */
  readonly scopesOf: (operation: string) => readonly string[]
  /** The scopes that a key of the service may have. */
  readonly keyScopes: readonly string[]
  readonly isDeprecated?: boolean
  readonly errors: ErrorTable
  /** The codes of errors by their names. */
  readonly codes: Readonly<Record<string, Code>>
  readonly resourceDocuments: readonly ResourceDocument[]
}

/** Makes the OpenAPI document of the routes and their schemas. */
export const openApiDocument = (options: DocumentOptions): Node => {
  const { routes, resourceDocuments, access } = options
  const nouns = new Set(routes.map(({ shows }) => capitalize(schemaName(shows.full))))
  const schemas = schemaSet(Object.assign({}, ...resourceDocuments.map(({ fields }) => fields)), nouns)
  const errors = errorSet(options.errors)
  const operationTexts = new Map(resourceDocuments.flatMap((document) => Object.entries(document.operations)))
  const aliasNotes = Object.assign({}, ...resourceDocuments.map((document) => document.aliasNotes))
  const tagOf = tagFinder(resourceDocuments)
  const operationEntry = (route: Route) => [
    route.method.toLowerCase(),
    operation(
      {
        route,
        itemRoute: itemRouteOf(route, routes),
        text: operationTexts.get(`${route.method} ${route.path}`),
        tag: tagOf(route),
        access,
        keyScopes: options.keyScopes,
        scopes: options.scopesOf(route.operation),
        isDeprecated: options.isDeprecated ?? false,
        aliasNotes,
      },
      { schemas, errors },
    ),
  ]
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, all]) => [
    path.replaceAll(/:(\w+)/g, '{$1}'),
    Object.fromEntries(all.map(operationEntry)),
  ])
  return {
    openapi: '3.1.1',
    info: info(options.summary),
    servers: [
      {
        url: options.server,
        description: 'This service, whether local, staging or production.',
        'x-internal': false,
      },
    ],
    tags: tagsOf(routes.map(tagOf), resourceDocuments),
    webhooks: Object.fromEntries(
      routes.filter(({ feed }) => feed).map((route) => ['change', deliveryOf(tagOf(route))]),
    ),
    paths: { ...Object.fromEntries(paths), ...documentPath(errors.responsesFor(refusalsOfDocument)) },
    components: {
      schemas: {
        ...schemas.schemas,
        ...errorSchemas(
          options.errors,
          options.codes,
          resourceDocuments.some(({ hasRules }) => hasRules),
        ),
      },
      responses: errors.responses,
      parameters: headerParameters,
      headers: responseHeaders,
      securitySchemes: securitySchemes(access),
    },
  }
}

const info = (summary: string): Node => ({
  title: 'Rollcall',
  version: '1.0.0',
  summary,
  description: [
    'JSON over HTTP, or XML on request: by `Accept`, or by a path suffix such as `.xml`, which takes precedence.',
    'The version is that of the API; its first number appears in the path. The program has its own version.',
    'HEAD works wherever GET does. OPTIONS lists the methods of a path; any other method is refused with 405 and `Allow`.',
    'Every response carries `X-Track`. All refusals have the same shape, with a code that never changes and a message in the language of the request. Callers whose `Accept` prefers problem details (RFC 9457) receive them.',
    'To avoid overwriting a change made by someone else, read the item, keep its `ETag`, and send it as `If-Match` with your change. To make a creation safe to repeat until a response arrives, send it with an `Idempotency-Key`.',
  ].join('\n\n'),
  'x-api-id': '5c4f4ad4-8a4e-4c7e-9d53-0b6f0e7f4a11',
  'x-audience': 'external-public',
  license: { name: 'MIT', identifier: 'MIT' },
})

/** Returns a function that finds the tag of a route: that of the resource which describes it, or else the first segment of its path. */
const tagFinder = (resourceDocuments: readonly ResourceDocument[]) => {
  const tags = new Map(
    resourceDocuments.flatMap(({ operations, tag }) =>
      Object.keys(operations).map((line) => [line, tag] as const),
    ),
  )
  return ({ method, path }: Route) => tags.get(`${method} ${path}`) ?? capitalize(path.split('/')[1] ?? '')
}

const tagsOf = (
  names: readonly string[],
  resourceDocuments: readonly ResourceDocument[],
): readonly Node[] => [
  ...[...new Set(names)].map((name) => ({
    name,
    description: resourceDocuments.find(({ tag }) => tag === name)?.description ?? `${name}.`,
  })),
  { name: 'Document', description: 'This document.' },
]

/** The path of the document itself, which the document also describes. */
const documentPath = (refused: Node): Node => ({
  '/openapi.json': {
    get: {
      tags: ['Document'],
      operationId: 'getDocument',
      summary: 'Get this document',
      description: 'This document is available to everyone.',
      security: [{}],
      parameters: parametersOfGetDocument,
      responses: {
        200: {
          description: 'The document.',
          headers: headerReferences(['ETag', 'Cache-Control', 'Vary', 'Content-Encoding']),
          content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
        },
        304: {
          description: 'The caller already has the current version.',
          headers: headerReferences(['ETag', 'Cache-Control', 'Vary']),
        },
        ...refused,
      },
      'x-error-codes': refusalsOfDocument,
    },
  },
})
