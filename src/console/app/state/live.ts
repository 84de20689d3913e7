import type { Change } from '#client/index.ts'
import { news } from '#console/app/api/ask.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { connection } from './connection.ts'
import { isSessionActive, session } from './session.ts'

export interface Live {
  /** Kinds or ids of records, or `*` for all, whose changes the feed tells. Without them it is the service itself, which is asked even while it is away. */
  readonly of?: readonly string[]
  /** How often it is asked what the feed does not tell. */
  readonly everyMs?: number
  /** Whether the feed does not tell all of it, so that it is asked as well. */
  readonly isAlsoAsked?: boolean
  /** Whether it must not be read again right now. */
  readonly isBusy?: () => boolean
}

/** When something that could not be read again is tried next, and how soon the feed is read again: changes often come in bursts. */
const soonMs = 400

/** After which time a feed that failed is tried again. */
const retryMs = 60_000

interface Part {
  readonly of: readonly string[] | undefined
  readonly everyMs: number
  readIn(ms: number): void
  end(): void
}

const parts = new Set<Part>()

/**
 * Calls `refresh` whenever a change is told, or at intervals where none are, and when the user comes back to the window; but not
 * while the user works in what it would redraw. It resolves to false if it has to be called again.
 */
export const keepTrue = (refresh: () => Promise<boolean>, live: Live): Part => {
  const { of, everyMs = 8_000, isAlsoAsked, isBusy = () => false } = live
  let timer: ReturnType<typeof setTimeout> | undefined
  let isReading = false
  const readIn = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(read, ms)
  }
  const read = async () => {
    timer = undefined
    if (document.hidden || (of && !mayAsk())) return
    if (isReading || isBusy() || (of && isUserBusy())) return readIn(soonMs)
    isReading = true
    const isTrue = await refresh().catch(() => undefined)
    isReading = false
    const isAsked = !of || isAlsoAsked || !isFollowing || !isTrue
    if (isAsked && timer === undefined && parts.has(part)) readIn(isTrue === false ? soonMs : everyMs)
  }
  const part: Part = {
    of,
    everyMs,
    readIn,
    end() {
      parts.delete(part)
      clearTimeout(timer)
    },
  }
  parts.add(part)
  if (!of || isAlsoAsked || !isFollowing) readIn(everyMs)
  return part
}

/** A row that is being renamed or created, or has keyboard focus, might disappear, as might selected text. */
const isUserBusy = () =>
  getSelection()?.isCollapsed === false ||
  document.querySelector(
    'dialog[open], .todo-rename, .todo-draft, :is(.ledger, .table tbody) :focus-visible',
  ) !== null

const mayAsk = () => connection.get().state === 'up' && isSessionActive(session.get())

/** One for the whole page. */
let following: AbortController | undefined
let isFollowing = false
let isWanted = false

/** Something is shown that the feed tells of, so whoever looks at it is signed in. */
export const followFeed = () => {
  isWanted = true
  update()
}

/** Follows the feed whenever it can be. */
const update = () => {
  if (document.hidden || !mayAsk()) {
    following?.abort()
    following = undefined
    isFollowing = false
  } else if (isWanted && !following) {
    following = new AbortController()
    void follow(following)
  }
}

/** What had changed before it began was not told, so everything is read again then; and if it fails, which also tells nothing. */
const follow = async (run: AbortController) => {
  const { signal } = run
  try {
    for await (const changes of news(signal)) {
      tell(isFollowing ? ({ of = [] }) => changes.some((change) => isOf(change, of)) : isTold)
      isFollowing = true
      await new Promise((resolve) => setTimeout(resolve, soonMs))
    }
  } catch (error) {
    if (signal.aborted) return
    if (failureOf(error).status !== 403) setTimeout(() => restart(run), retryMs)
  }
  if (signal.aborted) return
  isFollowing = false
  tell(isTold)
}

const restart = (run: AbortController) => {
  if (following !== run) return
  following = undefined
  update()
}

/** Whether the feed tells of it. */
const isTold = ({ of }: Part) => of !== undefined

const isOf = ({ type, subject }: Change, of: readonly string[]) =>
  of.some((one) => one === '*' || subject === one || type.startsWith(`${one}.`))

const tell = (concerns: (part: Part) => boolean) => {
  for (const part of parts) if (concerns(part)) part.readIn(0)
}

connection.watch(update)
session.watch(update)
document.addEventListener('visibilitychange', () => {
  update()
  if (!document.hidden) tell((part) => !isTold(part))
})
addEventListener('online', () => tell((part) => !isTold(part)))
