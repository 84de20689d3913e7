import { inOrder } from '#core/in-order.ts'
import { conflict, type Detail, Problem } from '#core/problem.ts'
import { type BodyType, parseBody, type RawBody, readBody } from '#http/message/body/body.ts'
import { mergePatch } from '#http/message/body/merge-patch.ts'
import type { BodyReader } from '#http/message/body/validation.ts'
import {
  isConditional,
  itemTag,
  requireIfMatch,
  requireListMatch,
  requireVersion,
} from '#http/message/conditional.ts'
import { readPreferences, wantsStrict } from '#http/message/prefer.ts'
import type { Writer } from '#http/message/representation/writer.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Answer } from '#http/wire/answer.ts'
import { asProblem } from '#http/wire/errors.ts'
import { type Exchange, hasArrived, header } from '#http/wire/exchange.ts'
import { withoutSuffix } from '#http/wire/target.ts'
import { waitedForEnd } from '#http/wire/unwanted.ts'
import type { Cursors } from './cursor.ts'
import { type Changes, cursorField } from './feed.ts'
import { type Idempotency, idempotencyKey, type KeptAnswer } from './idempotency.ts'
import { readParameters } from './query.ts'
import { lastModified, readItem } from './reading.ts'
import { filledIn } from './router.ts'
import { hasLastModified, type Route, type Versioned } from './routes.ts'
import { contentType, type Showing, showingParameters, showings, validatorFields } from './showing.ts'
import type { Visit } from './visit.ts'

export interface ChangeRules {
  readonly writer: Writer
  readonly bodyLimitBytes: number
  /** Whether routes that insist on a version are allowed to. */
  readonly insistsOnVersion: boolean
  readonly readerOf: (schema: JsonSchema) => BodyReader
  readonly idempotency: Idempotency
  readonly cursors: Cursors
  readonly changes: Changes
  /** A token that changes whenever anything in the database changes. */
  readonly state: () => Promise<string>
}

const documents: readonly BodyType[] = ['application/json', 'application/xml']
const patches: readonly BodyType[] = ['application/merge-patch+json']

/** Answers changes. Preconditions are checked before the body is validated. `shown` is the route that reads the item. */
export const changeAnswers = (route: Route, shown: Route | undefined, rules: ChangeRules) => {
  const change: Change = {
    route,
    shown,
    isDated: shown !== undefined && hasLastModified(shown),
    rules,
    parameters: showingParameters(route),
    showing: showings(route.shows, rules.writer),
    inOrder: inOrder(),
  }
  const body = { types: route.method === 'PATCH' ? patches : documents, limitBytes: rules.bodyLimitBytes }
  const path = route.changes ?? route.path
  const mayBeKeyed = route.method === 'POST' || route.method === 'PATCH'
  return async (admitted: Visit): Promise<Answer> => {
    const { exchange, params } = admitted
    if (path.includes(':')) exchange.record = filledIn(path, params)
    const isKeyed = mayBeKeyed && idempotencyKey(exchange) !== undefined
    const isLate = route.body ? !(await hasArrived(exchange)) : await waitedForEnd(exchange)
    const raw = route.body && (await readBody(exchange, body, () => parametersOf(change, admitted)))
    const visit = isLate ? { ...admitted, admission: await admitted.admitAgain() } : admitted
    const work = () => perform(change, visit, raw)
    try {
      const [answered, position] = await rules.changes.recorded(
        actorOf(visit),
        (): Promise<Answer> =>
          isKeyed ? rules.idempotency({ exchange, body: raw?.bytes ?? Buffer.alloc(0) }, work) : work(),
      )
      exchange.record ??= recordAt(path, answered)
      return { ...answered, headers: [...answered.headers, ...cursorField(rules.cursors, position)] }
    } catch (error) {
      throw withConflictDetails(error, visit)
    }
  }
}

/** What a change to a list has made: its answer may have been kept from an earlier one. */
const recordAt = (path: string, { headers }: Answer) => {
  const location = headers[headers.indexOf('Location') + 1] ?? ''
  return headers.includes('Location') ? path + location.slice(location.lastIndexOf('/')) : undefined
}

/** Who is named in the log of changes. */
const actorOf = ({ admission: { principal }, exchange }: Visit) => ({
  by: principal.memberId ?? principal.name,
  track: exchange.track,
})

interface Change {
  readonly route: Route
  readonly shown: Route | undefined
  /** Whether the item says when it last changed. */
  readonly isDated: boolean
  readonly rules: ChangeRules
  readonly parameters: ReturnType<typeof showingParameters>
  readonly showing: ReturnType<typeof showings>
  readonly inOrder: ReturnType<typeof inOrder>
}

/**
 * A change without a condition is refused if another request was faster. A patch depends on no version, so it is applied
 * anew to what the faster request left.
 */
const perform = async (change: Change, visit: Visit, raw: RawBody | undefined): Promise<KeptAnswer> => {
  const apply = () => performOnce(change, visit, raw)
  if (isConditional(visit.exchange, change.isDated)) return apply()
  try {
    if (change.route.method !== 'PATCH') return await apply()
    return await change.inOrder(itemPath(visit), () => untilApplied(apply))
  } catch (error) {
    throw isRace(error) ? conflict() : error
  }
}

/** A patch races only with other kinds of change and with other instances: patches of one item run one after another here. */
const maxTries = 20

const untilApplied = async (apply: () => Promise<KeptAnswer>): Promise<KeptAnswer> => {
  for (let tries = 1; tries < maxTries; tries++) {
    try {
      return await apply()
    } catch (error) {
      if (!isRace(error)) throw error
    }
  }
  return apply()
}

/** Without a condition from the caller, this has only one cause: the version just read has been replaced meanwhile. */
const isRace = (error: unknown) => error instanceof Problem && error.kind === 'preconditionFailed'

const performOnce = async (change: Change, visit: Visit, raw: RawBody | undefined): Promise<KeptAnswer> => {
  const { route } = change
  const showing = change.showing(visit, parametersOf(change, visit))
  const found = await requiredItem(change, visit)
  const sent = raw && parsed(raw, bodySchema(change, visit))
  const body = raw && (await bodyOf(change, visit, { sent, found }))
  if (body instanceof Problem) throw await whyNot(change, visit, { why: body, found })
  const { params, admission } = visit
  const call = { params, principal: admission.principal, expected: found?.version, body: body as never }
  const item = found && isEmptyPatch(route, sent) ? found : await route.handle(call)
  return item ? itemAnswer(change, visit, { item, showing }) : { status: 204, headers: [], body: '' }
}

/** A patch that names no field leaves the item, its version and its times as they are. */
const isEmptyPatch = ({ method }: Route, sent: unknown) =>
  method === 'PATCH' && Object.keys(Object(sent)).length === 0

const parametersOf = ({ parameters }: Change, { query, exchange }: Visit) =>
  readParameters(query, parameters, wantsStrict(exchange))

/** Adds to a conflict that says nothing what both requests tried to change: the items of the path, or the list being added to. */
const withConflictDetails = (error: unknown, { params, exchange }: Visit) => {
  if (!(error instanceof Problem && error.kind === 'conflict')) return error
  if (error.resolved.details.length > 0) return error
  const items = Object.entries(params).map(
    ([target, id]): Detail => ({ code: 'ChangedMeanwhile', target, args: { id } }),
  )
  return conflict(error.cause, items.length === 0 ? [listOf(exchange)] : items)
}

const itemPath = ({ exchange }: Visit) => withoutSuffix(exchange.target.path, exchange.suffix)

const listOf = ({ target, suffix }: Exchange): Detail => ({
  code: 'ChangedMeanwhile',
  wording: 'ChangedMeanwhile.list',
  target: withoutSuffix(target.path, suffix).replace(/^.*\//, ''),
})

/** The item, in the version that must still be current, if the request names a version or is a patch. */
const requiredItem = async ({ route, shown, isDated, rules }: Change, visit: Visit) => {
  const { exchange } = visit
  if (route.method === 'POST') {
    await requireListMatch(exchange, rules.state)
    return undefined
  }
  if (!shown) return undefined
  const insists = rules.insistsOnVersion && route.insistsOnVersion === true
  if (!insists && !isConditional(exchange, isDated) && route.method !== 'PATCH') return undefined
  const item = await readItem(shown, visit)
  if (insists) requireIfMatch(exchange)
  requireVersion(visit, item)
  return item
}

const bodySchema = ({ route }: Change, { admission }: Visit) => {
  const isOwn = admission.principal.kind === 'member'
  return ((isOwn && route.ownBody) || route.body) as JsonSchema
}

interface Received {
  /** The parsed body, or the reason it cannot be parsed. */
  readonly sent: unknown
  readonly found: Versioned | undefined
}

/** The body as it is to be stored, or the reason it cannot be. */
const bodyOf = (change: Change, visit: Visit, { sent, found }: Received) => {
  if (sent instanceof Problem) return sent
  const { route, shown, rules } = change
  const show = (item: Versioned) => rules.writer.shown(item, shown?.shows.full ?? {})
  const body = found && route.method === 'PATCH' ? mergePatch(show(found), sent) : sent
  return rules.readerOf(bodySchema(change, visit))(
    body,
    shown && (async () => show(found ?? (await readItem(shown, visit)))),
  )
}

const parsed = (raw: RawBody, schema: JsonSchema): unknown => {
  try {
    return parseBody(raw, schema)
  } catch (error) {
    return asProblem(error)
  }
}

interface Refused {
  readonly why: Problem
  readonly found: Versioned | undefined
}

/** Why a body is refused. A missing item is reported first (decision 0005); only a refused request pays for that lookup. */
const whyNot = async ({ route, shown }: Change, visit: Visit, { why, found }: Refused) => {
  if (shown && !found && route.method !== 'POST') await readItem(shown, visit)
  return why
}

interface Changed {
  readonly item: Versioned
  readonly showing: Showing
}

/** The item after the change, or no body if the caller prefers `return=minimal`. */
const itemAnswer = (
  { route, rules }: Change,
  { exchange, url }: Visit,
  { item, showing }: Changed,
): KeptAnswer => {
  const { names } = route
  const self = () =>
    names === undefined ? url() : `${url()}/${(item as Versioned & Record<string, unknown>)[names]}`
  const headers = [...validatorFields(itemTag(item.version, showing.variant)), ...lastModified(item)]
  if (names !== undefined) headers.push('Location', self())
  const isNew = route.method === 'POST'
  if (readPreferences(header(exchange, 'prefer')).isMinimal) {
    headers.push('Preference-Applied', 'return=minimal')
    return { status: isNew ? 201 : 204, headers, body: '' }
  }
  headers.push(...contentType(showing))
  const linkedAs = showing.linkedAs === undefined ? undefined : self()
  return { status: isNew ? 201 : 200, headers, body: rules.writer.document(item, { ...showing, linkedAs }) }
}
