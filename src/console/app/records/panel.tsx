import { useLayoutEffect, useRef } from 'preact/hooks'
import { isGone } from '#console/app/api/failure.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Button } from '#console/app/ui/button.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { useWords } from '#console/app/words/index.ts'
import { EditForm } from './edit.tsx'
import { hrefOf, type ListQuery, type OpenedRecord, replaceQuery } from './query.ts'
import { failedTitle, Neighbours, type RecordProps, useRecord } from './record-page.tsx'
import { RecordSheet, RecordSkeleton } from './record-sheet.tsx'

interface PanelProps extends Pick<RecordProps, 'kind' | 'actions' | 'rows'> {
  readonly query: ListQuery
  readonly opened: OpenedRecord
}

/** A record beside its list. The panel takes the focus when it opens, and gives the focus back to the row when it closes. */
export const Panel = ({ kind, query, opened: { open: id, edit }, actions, rows }: PanelProps) => {
  const words = useWords()
  const { value, failure, isLoading, reload, onDone } = useRecord(kind, id)
  const panel = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const close = useRef<HTMLAnchorElement>(null)
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [id, edit])
  useLayoutEffect(() => {
    const { current } = panel
    return () => {
      const row = document.getElementById(id)
      if (current?.contains(document.activeElement)) row ? row.focus() : focusTitle()
    }
  }, [id])
  const canEdit = value && kind.may('update', value.value)
  const title = value ? kind.titleOf(value.value) : failure ? failedTitle(kind, failure) : words.loading
  return (
    <aside
      ref={panel}
      class="panel-beside stack"
      aria-label={title}
      onKeyDown={({ key, isComposing, target }) => {
        if (key === 'Escape' && !isComposing && !(target as Element).closest('input, select, dialog'))
          close.current?.click()
      }}
    >
      <header class="row row-wide">
        <h2 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h2>
        <span class="row">
          <Neighbours kind={kind} id={id} hrefOf={(open) => hrefOf(kind, query, { open })} />
          <a ref={close} class="icon-button" href={hrefOf(kind, query)} title={words.close}>
            <Icon name="close" />
            <span class="unseen">{words.close}</span>
          </a>
        </span>
      </header>
      {failure && <Failed failure={failure} onRetry={reload} />}
      {!value && !failure && <RecordSkeleton />}
      {value && edit && canEdit && (
        <EditForm
          key={id}
          kind={kind}
          record={value}
          isDeleted={failure !== undefined && isGone(failure)}
          href={hrefOf(kind, query, { open: id })}
          onLeave={() => replaceQuery(kind, query, { open: id })}
        />
      )}
      {value && !(edit && canEdit) && (
        <>
          <div class="actions">
            {canEdit && (
              <Button
                icon="pencil"
                text={words.edit}
                shortcut="e"
                href={hrefOf(kind, query, { open: id, edit: 'yes' })}
              />
            )}
            {canEdit && actions?.(value, onDone)}
            <Button icon="file" text={words.openPage} href={hrefTo(`${kind.plural}/${id}`)} />
          </div>
          <RecordSheet
            kind={kind}
            isLoading={isLoading}
            item={value.value}
            rows={canEdit ? rows : undefined}
          />
        </>
      )}
    </aside>
  )
}
