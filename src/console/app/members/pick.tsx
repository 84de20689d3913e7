import { useEffect, useState } from 'preact/hooks'
import type { MemberView } from '#client/index.ts'
import { shortcuts } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'

/** The members that were selected, on whichever pages of one list. */
export interface Picked {
  readonly members: ReadonlyMap<string, MemberView>
  readonly pick: (members: readonly MemberView[], isPicked: boolean) => void
  readonly clear: () => void
}

/** Another list has none selected. */
export const usePicked = (list: string): Picked => {
  const [members, setMembers] = useState<ReadonlyMap<string, MemberView>>(new Map())
  const clear = () => setMembers(new Map())
  useEffect(clear, [list])
  const pick = (some: readonly MemberView[], isPicked: boolean) =>
    setMembers((now) => {
      const next = new Map(now)
      for (const member of some) {
        if (isPicked) next.set(member.memberId, member)
        else next.delete(member.memberId)
      }
      return next
    })
  return { members, pick, clear }
}

interface PickParts {
  readonly picked: Picked
  readonly members: readonly MemberView[]
  readonly label: string
  readonly isRow?: boolean
}

/** Selects these members, or none of them. With single keys, `x` selects a row that has the focus, and the row is one stop. */
export const Pick = ({ picked, members, label, isRow = false }: PickParts) => {
  const hasKeys = useStore(shortcuts) === 'on'
  const count = members.filter(({ memberId }) => picked.members.has(memberId)).length
  const isAll = count > 0 && count === members.length
  return (
    <td class="col-pick">
      <label title={label}>
        <input
          type="checkbox"
          aria-label={label}
          {...(isRow && { 'aria-keyshortcuts': 'x', tabIndex: hasKeys ? -1 : 0 })}
          checked={isAll}
          indeterminate={count > 0 && !isAll}
          onChange={() => picked.pick(members, !isAll)}
        />
      </label>
    </td>
  )
}
