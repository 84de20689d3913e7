import type { Change } from '#client/index.ts'
import { followChanges } from '#console/app/api/call.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { connection } from './connection.ts'
import { isSessionActive, session } from './session.ts'

export interface Live {
  /** The kinds or ids of records whose changes in the feed cause a refresh, or `*` for all. Without them, the data is read at intervals, even while the service is away. */
  readonly reloadOn?: readonly string[]
  /** The interval between reads without the feed. */
  readonly everyMs?: number
  /** Whether to read at intervals as well, because the feed lacks some changes. */
  readonly isAlsoAsked?: boolean
  /** Whether a refresh must wait. */
  readonly isBusy?: () => boolean
}

/** The pause before a postponed refresh is tried again, and between two reads of the feed: changes often come in bursts. */
const soonMs = 400

/** The pause before a failed feed is tried again. */
const retryMs = 60_000

interface LivePart {
  readonly reloadOn: readonly string[] | undefined
  readonly everyMs: number
  readIn(ms: number): void
  end(): void
}

const parts = new Set<LivePart>()

/**
 * Calls `refresh` after each change in the feed, or at intervals without a feed, and when the user returns to the window; but not
 * while the user works in the part that it would redraw. `refresh` resolves to false if it has to be called again.
 */
export const keepFresh = (refresh: () => Promise<boolean>, live: Live): LivePart => {
  const { reloadOn, everyMs = 8_000, isAlsoAsked, isBusy = () => false } = live
  let timer: ReturnType<typeof setTimeout> | undefined
  let isReading = false
  const readIn = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(read, ms)
  }
  const read = async () => {
    timer = undefined
    if (document.hidden || (reloadOn && !mayAsk())) return
    if (isReading || isBusy() || (reloadOn && isUserBusy())) return readIn(soonMs)
    isReading = true
    const isTrue = await refresh().catch(() => undefined)
    isReading = false
    const isAsked = !reloadOn || isAlsoAsked || !isFollowing || !isTrue
    if (isAsked && timer === undefined && parts.has(part)) readIn(isTrue === false ? soonMs : everyMs)
  }
  const part: LivePart = {
    reloadOn,
    everyMs,
    readIn,
    end() {
      parts.delete(part)
      clearTimeout(timer)
    },
  }
  parts.add(part)
  if (!reloadOn || isAlsoAsked || !isFollowing) readIn(everyMs)
  return part
}

/** A row that is being renamed or created, or has keyboard focus, might disappear, as might selected text. */
const isUserBusy = () =>
  getSelection()?.isCollapsed === false ||
  document.querySelector(
    'dialog[open], .todo-rename, .todo-draft, :is(.ledger, .table tbody) :focus-visible',
  ) !== null

const mayAsk = () => connection.get().state === 'up' && isSessionActive(session.get())

/** The one reader of the feed for the whole page. */
let following: AbortController | undefined
let isFollowing = false
let isWanted = false

/** Starts following the feed. Called once a part that uses the feed is shown, because by then the user is signed in. */
export const followFeed = () => {
  isWanted = true
  update()
}

/** Follows the feed while the page is visible, the service is up and the user is signed in. */
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

/** Reads everything again when the feed begins and when it fails, because the feed lacks the changes in between. */
const follow = async (run: AbortController) => {
  const { signal } = run
  try {
    for await (const changes of followChanges(signal)) {
      refreshWhere(
        isFollowing ? ({ reloadOn = [] }) => changes.some((change) => concerns(change, reloadOn)) : usesFeed,
      )
      isFollowing = true
      await new Promise((resolve) => setTimeout(resolve, soonMs))
    }
  } catch (error) {
    if (signal.aborted) return
    if (failureOf(error).status !== 403) setTimeout(() => restart(run), retryMs)
  }
  if (signal.aborted) return
  isFollowing = false
  refreshWhere(usesFeed)
}

const restart = (run: AbortController) => {
  if (following !== run) return
  following = undefined
  update()
}

const usesFeed = ({ reloadOn }: LivePart) => reloadOn !== undefined

const concerns = ({ type, subject }: Change, kindsOrIds: readonly string[]) =>
  kindsOrIds.some((one) => one === '*' || subject === one || type.startsWith(`${one}.`))

const refreshWhere = (concerns: (part: LivePart) => boolean) => {
  for (const part of parts) if (concerns(part)) part.readIn(0)
}

connection.watch(update)
session.watch(update)
document.addEventListener('visibilitychange', () => {
  update()
  if (!document.hidden) refreshWhere((part) => !usesFeed(part))
})
addEventListener('online', () => refreshWhere((part) => !usesFeed(part)))
