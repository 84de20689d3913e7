import { policyGuard } from '#access/policy.ts'
import { recognition } from '#access/recognition.ts'
import { api } from '#http/api/api.ts'
import { idempotency } from '#http/api/idempotency.ts'
import type { Route } from '#http/api/routes.ts'
import { tagStates } from '#http/api/tag-state.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import { writer } from '#http/message/representation/writer.ts'
import { documentAnswers } from '#http/openapi/serve.ts'
import type { AnswerProblem } from '#http/wire/answer.ts'
import { httpDate } from '#http/wire/http-date.ts'
import type { Mount } from '#http/wire/listener.ts'
import { allRoutes } from '#resources/all-routes.ts'
import { policyOf } from '#resources/combined.ts'
import type { Config } from '#src/config.ts'
import type { Access } from './access.ts'
import type { Defences } from './defences.ts'
import type { Shared } from './shared.ts'
import { strictTransport } from './tls.ts'

/** The dependencies of every version of the API. */
interface ApiParts extends Shared {
  readonly refuse: AnswerProblem
  readonly access: Access
  readonly defences: Defences
}

/** Mounts one version of the API: the routes of all resources below a prefix, with access checks and defences. */
export const mountApi = async (config: Config, parts: ApiParts, prefix: string): Promise<Mount> => {
  const { refuse, db, clock, answers, changes, cursors, streams, access, defences, traces, secrets } = parts
  const table = traces.routes(allRoutes(parts, access.tokens))
  const document = () => loadDocument(config, { table, prefix, resources: parts.resources })
  const { respond, allowHeaderAt } = api({
    prefix,
    routes: table,
    guard: policyGuard(recognition(access), policyOf(parts.resources)),
    origin: defences.origin,
    writer: writer(config.TIME_ZONE, { textsDependOn: [config.PUBLIC_URL, config.PAGE_SIZE_MAX] }),
    tagStateOf: tagStates((await changes.latest()).logName),
    bodyReaderFor: bodyReaders(clock, config.TIME_ZONE),
    bodyLimitBytes: config.BODY_LIMIT,
    pageSizeMax: config.PAGE_SIZE_MAX,
    requiresVersion: config.REQUIRE_IF_MATCH,
    cursors,
    changes,
    clock,
    timeZone: config.TIME_ZONE,
    streams,
    idempotency: idempotency(answers, await secrets('idempotency')),
    commitToken: () => db.commitToken(),
    unit: (work) => db.unit(work),
    answerProblem: refuse,
    documents: { '/openapi.json': documentAnswers(document) },
    ...defences.requestLimits,
  })
  return {
    prefix,
    respond: traces.requests(defences.protectApi(respond)),
    allowHeaderAt,
    headers: headersOf(config),
  }
}

interface DocumentInput extends Pick<Shared, 'resources'> {
  readonly table: readonly Route[]
  readonly prefix: string
}

/** Builds the API document. Its code is loaded only when a caller requests the document. */
const loadDocument = async (config: Config, { table, resources, prefix }: DocumentInput) => {
  const { documentOf } = await import('./document.ts')
  return documentOf(table, {
    server: (config.PUBLIC_URL ?? '') + prefix,
    access: config.ACCESS,
    resources,
    isDeprecated: config.API_DEPRECATED !== undefined,
  })
}

/** The header fields of every answer, with the deprecation of a deprecated version (RFC 9745, RFC 8594). */
const headersOf = (config: Config) => {
  const { API_DEPRECATED: deprecatedAt, API_SUNSET: sunsetAt, API_SUCCESSOR: successor } = config
  return [
    ...(deprecatedAt === undefined ? [] : ['Deprecation', `@${Math.floor(deprecatedAt / 1000)}`]),
    ...(sunsetAt === undefined ? [] : ['Sunset', httpDate(sunsetAt)]),
    ...(successor === undefined ? [] : ['Link', `<${successor}>; rel="successor-version"`]),
    ...strictTransport(config),
  ]
}
