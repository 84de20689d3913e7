import { useEffect } from 'preact/hooks'
import { connection } from './connection.ts'
import { isSessionActive, session } from './session.ts'

const intervalMs = 10_000

/**
 * Calls `refresh` at intervals, and when the user returns to the window, but not while the user is working in what it would
 * redraw, or a change to it is in flight.
 */
export const useRefreshing = (refresh: () => Promise<void>, isChanging = never) => {
  useEffect(() => {
    let isRefreshing = false
    const refreshWhenIdle = async () => {
      if (isRefreshing || document.hidden || !canRefresh() || isUserBusy() || isChanging()) return
      isRefreshing = true
      await refresh()
      isRefreshing = false
    }
    const timer = setInterval(refreshWhenIdle, intervalMs)
    document.addEventListener('visibilitychange', refreshWhenIdle)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refreshWhenIdle)
    }
  }, [refresh, isChanging])
}

const never = () => false

const canRefresh = () => connection.get().state === 'up' && isSessionActive(session.get())

/** A row that is being renamed or created, or has keyboard focus, might disappear, as might selected text. */
const isUserBusy = () =>
  getSelection()?.isCollapsed === false ||
  document.querySelector(
    'dialog[open], .todo-rename, .todo-draft, :is(.ledger, .table tbody) :focus-visible',
  ) !== null
