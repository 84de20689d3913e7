import { useEffect } from 'preact/hooks'
import { connection } from './connection.ts'
import { isGoingOn, session } from './session.ts'

const everyMs = 10_000

/**
 * Calls `refresh` now and then, and when one comes back to the window, but not while somebody is at work in what it would
 * draw anew, or a change of it is on its way.
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

/** A row that is renamed, is on its way, or has the focus of a keyboard might go; so might the text that is selected. */
const isAtWork = () =>
  getSelection()?.isCollapsed === false ||
  document.querySelector(
    'dialog[open], .todo-rename, .todo-draft, :is(.ledger, .table tbody) :focus-visible',
  ) !== null
