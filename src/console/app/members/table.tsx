import type { TargetedMouseEvent } from 'preact'
import { isReduced, type MemberView } from '#client/index.ts'
import { density, hiddenColumns } from '#console/app/state/preferences.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { formatDate, formatPlainDate } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { Pick, type Picked } from './many.tsx'
import { nameOf } from './name.ts'
import { Reach } from './record.tsx'

interface TableParts {
  /** Undefined during the first load. */
  readonly members: readonly MemberView[] | undefined
  readonly rows: number
  readonly isLoading: boolean
  readonly sort: string
  readonly onSort: (sort: string) => void
  readonly picked: Picked
}

const columns = [
  { name: 'name', property: 'lastName' },
  { name: 'emailAddress', property: 'emailAddress' },
  { name: 'dateOfBirth', property: 'dateOfBirth' },
  { name: 'telephoneNumber', property: 'telephoneNumber' },
  { name: 'createdAt', property: 'memberId' },
] as const

export const MemberTable = ({ members, rows, isLoading, sort, onSort, picked }: TableParts) => {
  const { members: words, many } = useWords()
  const [sorted, direction = 'asc'] = sort.split(',')
  const orderOf = (property: string) =>
    sorted !== property ? 'none' : direction === 'asc' ? 'ascending' : 'descending'
  const turn = (property: string) =>
    onSort(`${property},${orderOf(property) === 'ascending' ? 'desc' : 'asc'}`)
  const isPicking = !members?.some(isReduced)
  const shown = isPicking ? columns : columns.slice(0, 1)
  const without = useStore(hiddenColumns).replaceAll(/\w+/g, 'without-$&')
  return (
    <table class={`table table-${useStore(density)} ${without}`} aria-busy={isLoading}>
      <caption class="unseen">{words.table}</caption>
      <thead>
        <tr>
          {isPicking && <Pick picked={picked} members={members ?? []} label={many.pickPage} />}
          {shown.map(({ name, property }) => (
            <th key={name} scope="col" aria-sort={orderOf(property)} class={`col-${name}`}>
              <button type="button" title={words.sortBy(words.columns[name])} onClick={() => turn(property)}>
                {words.columns[name]}
                <span class={`order order-${orderOf(property)}`}>
                  <Icon name="up" />
                </span>
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {members
          ? members.map((member) => <Row key={member.memberId} member={member} picked={picked} />)
          : Array.from({ length: Math.min(rows, 8) }, (_, index) => <SkeletonRow key={index} />)}
      </tbody>
    </table>
  )
}

/** A user who may see only names gets only the name column. */
const Row = ({ member, picked }: { member: MemberView; picked: Picked }) => {
  const { none, many } = useWords()
  return (
    <tr onClick={open}>
      {!isReduced(member) && (
        <Pick picked={picked} members={[member]} label={many.pick(nameOf(member))} isRow />
      )}
      <th scope="row" class="col-name" dir="auto" title={nameOf(member)}>
        <a id={member.memberId} href={hrefTo(`members/${member.memberId}`)} data-row>
          {nameOf(member)}
        </a>
      </th>
      {!isReduced(member) && (
        <>
          <td class="col-emailAddress" dir="auto" title={member.emailAddress}>
            <Reach field="emailAddress" value={member.emailAddress} tabIndex={-1} />
          </td>
          <td class="col-dateOfBirth">{formatPlainDate(member.dateOfBirth)}</td>
          <td class="col-telephoneNumber">
            <Reach field="telephoneNumber" value={member.telephoneNumber || none} tabIndex={-1} />
          </td>
          <td class="col-createdAt">{formatDate(member.createdAt)}</td>
        </>
      )}
    </tr>
  )
}

/** A press anywhere in the row leads to the member; but its text can be selected, and its other links lead elsewhere. */
const open = ({ currentTarget, target }: TargetedMouseEvent<HTMLTableRowElement>) => {
  if (getSelection()?.isCollapsed === false || (target as Element).closest('a, label')) return
  currentTarget.querySelector('a')?.click()
}

const SkeletonRow = () => (
  <tr>
    <td class="col-pick" />
    {columns.map(({ name }) => (
      <td key={name} class={`col-${name}`}>
        <span class="skeleton" />
      </td>
    ))}
  </tr>
)
