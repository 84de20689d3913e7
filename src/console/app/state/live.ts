import type { Change } from '#client/index.ts'
import { followChanges } from '#console/app/api/call.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { ownChangeCount } from '#console/app/api/fetch.ts'
import { connection } from './connection.ts'
import { isSessionActive, session } from './session.ts'

export interface LiveOptions {
  /** The kinds or ids of records whose changes in the feed cause a refresh, or `*` for all. Undefined: the data is only polled. */
  readonly reloadOn?: readonly string[]
  readonly pollMs?: number
  /** Set if the feed lacks some changes, so that the data is polled as well. */
  readonly isAlsoPolled?: boolean
  /** A refresh is postponed while this returns true. */
  readonly isBusy?: () => boolean
}

/** The pause before a postponed refresh is tried again, and between two reads of the feed: changes often come in bursts. */
const burstPauseMs = 400

/** The pause before a failed feed is tried again. */
const retryMs = 60_000

interface LiveView {
  readonly reloadOn: readonly string[] | undefined
  readonly pollMs: number
  readIn(ms: number): void
  end(): void
}

const views = new Set<LiveView>()

/**
 * Calls `refresh` after each change in the feed, at intervals while there is no feed, and when the user returns to the window.
 * Waits while the user works in the view that would be redrawn. `refresh` resolves to false if it must be called again.
 */
export const keepFresh = (refresh: () => Promise<boolean>, live: LiveOptions): LiveView => {
  const { reloadOn, pollMs = 8_000, isAlsoPolled, isBusy = () => false } = live
  let timer: ReturnType<typeof setTimeout> | undefined
  let isReading = false
  const readIn = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(read, ms)
  }
  const read = async () => {
    timer = undefined
    if (document.hidden || (reloadOn && !canRead())) return
    if (isReading || isBusy() || (reloadOn && isUserBusy())) return readIn(burstPauseMs)
    isReading = true
    const isFresh = await refresh().catch(() => undefined)
    isReading = false
    const isPolled = !reloadOn || isAlsoPolled || !isFollowing || !isFresh
    if (isPolled && timer === undefined && views.has(view)) readIn(isFresh === false ? burstPauseMs : pollMs)
  }
  const view: LiveView = {
    reloadOn,
    pollMs,
    readIn,
    end() {
      views.delete(view)
      clearTimeout(timer)
    },
  }
  views.add(view)
  if (!reloadOn || isAlsoPolled || !isFollowing) readIn(pollMs)
  return view
}

/** True while a refresh might disturb the user: in a dialog, in a row that is edited or has the focus, or with selected text. */
const isUserBusy = () =>
  getSelection()?.isCollapsed === false ||
  document.querySelector(
    'dialog[open], .todo-rename, .todo-draft, :is(.ledger, .table tbody) :focus-visible',
  ) !== null

const canRead = () => connection.get().state === 'up' && isSessionActive(session.get())

/** The reader of the feed, which all views share. */
let feedReader: AbortController | undefined
let isFollowing = false
let isFeedUsed = false

/** Starts following the feed. Called once a view that uses the feed has data, because by then the user is signed in. */
export const followFeed = () => {
  isFeedUsed = true
  startOrStop()
}

/** Follows the feed while the page is visible, the service is up and the user is signed in. */
const startOrStop = () => {
  if (document.hidden || !canRead()) {
    feedReader?.abort()
    feedReader = undefined
    isFollowing = false
  } else if (isFeedUsed && !feedReader) {
    feedReader = new AbortController()
    void follow(feedReader)
  }
}

/** Refreshes all views when the feed begins and when it fails, because the feed lacks the changes in between. */
const follow = async (reader: AbortController) => {
  const { signal } = reader
  try {
    for await (const changes of followChanges(signal)) {
      refreshWhere(
        isFollowing ? ({ reloadOn = [] }) => changes.some((change) => concerns(change, reloadOn)) : usesFeed,
      )
      isFollowing = true
      await new Promise((resolve) => setTimeout(resolve, burstPauseMs))
    }
  } catch (error) {
    if (signal.aborted) return
    if (failureOf(error).status !== 403) setTimeout(() => restart(reader), retryMs)
  }
  if (signal.aborted) return
  isFollowing = false
  refreshWhere(usesFeed)
}

const restart = (reader: AbortController) => {
  if (feedReader !== reader) return
  feedReader = undefined
  startOrStop()
}

const usesFeed = ({ reloadOn }: LiveView) => reloadOn !== undefined

const concerns = ({ type, subject }: Change, kindsOrIds: readonly string[]) =>
  kindsOrIds.some((one) => one === '*' || subject === one || type.startsWith(`${one}.`))

const refreshWhere = (matches: (view: LiveView) => boolean) => {
  for (const view of views) if (matches(view)) view.readIn(0)
}

// Does not wait for the feed, because the user's next change must be made to the newest version.
ownChangeCount.watch(() => refreshWhere(usesFeed))
connection.watch(startOrStop)
session.watch(startOrStop)
document.addEventListener('visibilitychange', () => {
  startOrStop()
  if (!document.hidden) refreshWhere((view) => !usesFeed(view))
})
addEventListener('online', () => refreshWhere((view) => !usesFeed(view)))
