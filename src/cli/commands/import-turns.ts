interface Turn {
  hasEnded: boolean
  report: () => void
}

/** Begins a turn with each call. However they end, they report in the order in which they began. */
export const turns = () => {
  const open: Turn[] = []
  return () => {
    const turn: Turn = { hasEnded: false, report: () => undefined }
    open.push(turn)
    return {
      reports: (report: () => void) => {
        turn.report = report
      },
      end() {
        turn.hasEnded = true
        while (open[0]?.hasEnded) open.shift()?.report()
      },
    }
  }
}
