/**
 * The client of Rollcall, for Node, browsers and workers. It needs `fetch` and nothing else: its files import none of the
 * other folders, so that a page loads them as they are.
 *
 *     import { rollcall, unwrap } from 'rollcall/client'
 *
 *     const { todos, members } = rollcall('http://127.0.0.1:8080')          // '' in a page of the same origin
 *     const found = await members.get(id)                                   // nothing is thrown:
 *     if (!found.ok) console.log(found.code, found.message, found.track)    //   a failure is a value with a code
 *     else await members.patch(found, { address: 'Kyoto' })                 // only the version that was read:
 *                                                                           //   else code e.xx.fw.8003
 *     const { value } = unwrap(await todos.create({ todoTitle: 'Milk' }))   // throws a RollcallError instead
 *     for await (const member of members.each({ name: 'smith' })) …         // pages by cursor, as far as you read
 *     for await (const { content, next } of todos.pages({ cursor })) …      // keep `next`, and go on there another day
 *
 * todos:   list page each pages get create finish patch remove
 * members: list page each pages get create update patch remove changeCredential, and getDetailed, getReduced
 *
 * Where members sign in, what is read of another is id and name alone: `isReduced(member)` tells, and so does the type.
 *
 * A first argument `known` is an id, or the answer (or any `{ value, etag }`) that was read: then the change carries
 * If-Match, but for `finish`, and `get` costs nothing where nothing has changed; nor do `list` and `page` that are given
 * `{ known }` last.
 * Every call takes `{ signal, track }` last. Lost answers and passing refusals (408, 429, 503, a key in use) are tried
 * again with growing pauses, some ten seconds in all, in which a service that is started anew is back, or as Retry-After
 * says; every creation and patch carries an Idempotency-Key, so it happens once, and even after a crash where `{ key }`
 * brings the key of before (`replayed` says that it had been done). A PUT or DELETE of one version, or a change of a
 * credential, whose answer was lost (`unreachable`), or of which the service does not know either (9002), comes back as it
 * is: read again, or sign in, to see whether it was done. So does any change whose repetition is then turned away (401, 403,
 * 429, a busy service): the first attempt may be done.
 *
 * Every answer of the service carries X-Track, which a proxy between must let through: an answer without it is not the
 * service's (`unintelligible`), and neither is a redirect, which is not followed. What cannot be sent (a wrong address, a
 * body that is no JSON, a token that cannot be had) is told at once (`unsendable`). `cause` is what was thrown.
 */
import type { Answer } from './answer.ts'
import { baseOf, caller } from './calling.ts'
import { collection, type Known } from './collection.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import type {
  CredentialUpdate,
  DetailedMember,
  Member,
  MemberPage,
  MemberPatch,
  MemberUpdate,
  MemberView,
  NewMember,
  NewTodo,
  ReducedMember,
  Todo,
  TodoPage,
  TodoPatch,
} from './types.ts'

export { type Answer, type Done, type Failure, type FailureCode, RollcallError, unwrap } from './answer.ts'
export type * from './codes.ts'
export type { Known, ListOptions, PageQuery, Paging, Stretch, WalkQuery } from './collection.ts'
export type { Auth, CallOptions, ClientOptions } from './options.ts'
export type * from './types.ts'

interface Created {
  /** At this time or later: a date or a timestamp. */
  readonly createdFrom?: string | undefined
  /** Before this time. */
  readonly createdTo?: string | undefined
}

export interface TodoFilter extends Created {
  readonly finished?: boolean | undefined
}

export interface MemberFilter extends Created {
  /** A text anywhere in the name. */
  readonly name?: string | undefined
  /** The sign id of the one member that is looked for, whatever its case and width. */
  readonly signId?: string | undefined
}

/** A client of the service at this address, such as `https://rollcall.example.com`, with the prefix of the API or without. */
export const rollcall = (address: string, options: ClientOptions = {}) => {
  const call = caller(baseOf(address), options)
  return { todos: todosOf(call), members: membersOf(call) }
}

/** What is read of a member: all of it, or, where members sign in, of the others id and name alone. */
export type SeenMember = Member | ReducedMember

/** Whether a member is shown by id and name alone. */
export const isReduced = (member: MemberView): member is ReducedMember => member.lastModifiedAt === undefined

export type Rollcall = ReturnType<typeof rollcall>

type Call = ReturnType<typeof caller>

const todosOf = (call: Call) => {
  const { put, create, patch, at, tagOf, ...all } = collection<Todo, TodoPage, TodoFilter>(
    call,
    '/todos',
    ({ todoId }) => todoId,
  )
  return {
    ...all,
    create: (todo: NewTodo, options?: CallOptions) => create(todo, options),
    /** Finishes it, whatever its version: doing so twice is the same as once. */
    finish: (known: Known<Todo>, options: CallOptions = {}): Promise<Answer<Todo>> =>
      call({ ...options, method: 'PUT', path: at(known) }),
    /** Renames, finishes or reopens it. */
    patch: (known: Known<Todo>, change: TodoPatch, options?: CallOptions) => patch(known, change, options),
  }
}

type SeenPage = Omit<MemberPage, 'content'> & { readonly content: readonly SeenMember[] }

const membersOf = (call: Call) => {
  const { put, create, patch, at, tagOf, ...all } = collection<SeenMember, SeenPage, MemberFilter, Member>(
    call,
    '/members',
    ({ memberId }) => memberId,
  )
  return {
    ...all,
    create: (member: NewMember, options?: CallOptions) => create(member, options),
    /** Replaces all fields but the credential; what was read may be sent back changed. */
    update: (known: Known<SeenMember>, member: MemberUpdate, options?: CallOptions) =>
      put(known, member, options),
    patch: (known: Known<SeenMember>, change: MemberPatch, options?: CallOptions) =>
      patch(known, change, options),
    /** Id and name alone. */
    getReduced: (memberId: string, options: CallOptions = {}): Promise<Answer<ReducedMember>> =>
      call({ ...options, method: 'GET', path: at(memberId), query: { view: 'reduced' } }),
    /** All but the credential, for whom is shown more than id and name. */
    getDetailed: (
      memberId: string,
      options: CallOptions = {},
    ): Promise<Answer<DetailedMember | ReducedMember>> =>
      call({ ...options, method: 'GET', path: at(memberId), query: { view: 'detailed' } }),
    changeCredential: (
      known: Known<SeenMember>,
      body: CredentialUpdate,
      options: CallOptions = {},
    ): Promise<Answer<Member>> =>
      call({
        ...options,
        method: 'PUT',
        path: `${at(known)}/credential`,
        body,
        ifMatch: tagOf(known),
        isRefusedAgain: true,
      }),
  }
}
