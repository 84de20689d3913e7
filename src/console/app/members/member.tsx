import { useState } from 'preact/hooks'
import type { MemberView } from '#client/index.ts'
import { type View, viewMember, views } from '#console/app/api/members.ts'
import { useLoad } from '#console/app/state/load.ts'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { useWords } from '#console/app/words/index.ts'
import { MemberActions } from './actions.tsx'
import { failedTitle, nameOf } from './name.ts'
import { Record } from './record.tsx'

/** One member, in the view that was chosen. Who is shown others by name alone may do nothing with them. */
export const MemberPage = ({ memberId }: { memberId: string }) => {
  const words = useWords()
  const [view, setView] = useState<View>('full')
  const { value, failure, isLoading, reload } = useLoad<MemberView>(
    `${memberId} ${view}`,
    async (signal) => (await viewMember(memberId, view, signal)).value,
  )
  const isForeign = value !== undefined && view === 'full' && !('createdAt' in value)
  return (
    <Page
      title={value ? nameOf(value) : failure ? failedTitle(failure, words) : '…'}
      above={{ title: words.pages.members, path: 'members' }}
      actions={value && !isForeign && <MemberActions member={value} onChange={reload} />}
    >
      {failure && <Failed failure={failure} onRetry={reload} />}
      {value && !isForeign && (
        <Segments
          label={words.members.view}
          segments={views.map((one) => ({ value: one, label: words.members.views[one] }))}
          value={view}
          onChoose={setView}
        />
      )}
      {value && <Record member={value} isLoading={isLoading} />}
      {!value && !failure && <RecordSkeleton />}
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
