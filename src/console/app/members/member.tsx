import { useState } from 'preact/hooks'
import { isReduced } from '#client/index.ts'
import { isGone } from '#console/app/api/failure.ts'
import { type View, type ViewedMember, viewMember, views } from '#console/app/api/members.ts'
import { useLoad } from '#console/app/state/load.ts'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { useWords } from '#console/app/words/index.ts'
import { MemberActions } from './actions.tsx'
import { failedTitle, nameOf } from './name.ts'
import { hrefToList } from './query.ts'
import { Record } from './record.tsx'

/** One member, in the chosen view; the previous one stays while another is loading. A user who sees only names gets no actions. */
export const MemberPage = ({ memberId }: { memberId: string }) => {
  const words = useWords()
  const [view, setView] = useState<View>('full')
  const { value, failure, isLoading, reload } = useLoad<ViewedMember>(
    `${memberId} ${view}`,
    (options, before) => viewMember(memberId, view, options, before),
    { of: [memberId] },
  )
  const member = value?.member
  const isDeleted = member !== undefined && failure !== undefined && isGone(failure)
  const isForeign = value?.view === 'full' && isReduced(value.member)
  return (
    <Page
      title={member ? nameOf(member) : failure ? failedTitle(failure, words) : undefined}
      above={{ title: words.pages.members, href: hrefToList() }}
      actions={value && !isForeign && !isDeleted && <MemberActions viewed={value} onChange={reload} />}
    >
      {isDeleted && (
        <p class="banner" role="alert">
          {words.members.deletedElsewhere}
        </p>
      )}
      {failure && !isDeleted && <Failed failure={failure} onRetry={reload} />}
      {member && !isForeign && (
        <Segments
          label={words.members.view}
          segments={views.map((one) => ({ value: one, label: words.members.views[one] }))}
          value={view}
          onChoose={setView}
        />
      )}
      {member && <Record member={member} isLoading={isLoading} />}
      {!member && !failure && <RecordSkeleton />}
    </Page>
  )
}

const RecordSkeleton = () => (
  <div class="sheet sheet-padded record-skeleton" aria-hidden="true">
    {[9, 14, 11, 7, 14].map((width, index) => (
      <span class={`skeleton skeleton-${width}`} key={index} />
    ))}
  </div>
)
