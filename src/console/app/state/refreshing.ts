import { useEffect } from 'preact/hooks'
import { connection } from './connection.ts'
import { isGoingOn, session } from './session.ts'

const everyMs = 10_000

/**
 * Calls `refresh` at intervals, and when the user returns to the window, but not while the user is working in what it would
 * redraw, or a change to it is in flight.
 */
export const useRefreshing = (refresh: () => Promise<void>, isChanging = never) => {
  useEffect(() => {
    let isLooking = false
    const look = async () => {
      if (isLooking || document.hidden || !isWell() || isAtWork() || isChanging()) return
      isLooking = true
      await refresh()
      isLooking = false
    }
    const timer = setInterval(look, everyMs)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [refresh, isChanging])
}

const never = () => false

const isWell = () => connection.get().state === 'up' && isGoingOn(session.get())

/** A row that is being renamed or created, or has keyboard focus, might disappear, as might selected text. */
const isAtWork = () =>
  getSelection()?.isCollapsed === false ||
  document.querySelector(
    'dialog[open], .todo-rename, .todo-draft, :is(.ledger, .table tbody) :focus-visible',
  ) !== null
