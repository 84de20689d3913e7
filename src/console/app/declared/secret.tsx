import { useState } from 'preact/hooks'
import { callApi, callSignedIn } from '#console/app/api/call.ts'
import type { Kind } from '#console/app/records/kind.ts'
import { notifyWithoutUndo } from '#console/app/state/notes.ts'
import { reportNotDone } from '#console/app/ui/bulk.ts'
import { Button } from '#console/app/ui/button.tsx'
import { SecretDialog } from '#console/app/ui/dialog.tsx'
import { textsIn } from '#console/app/words/texts.ts'
import { isolate } from '#console/app/words/visible.ts'
import type { RecordViewProps } from './kind.ts'

interface SecretProps {
  readonly kind: Kind
  /** True if the old secret stays valid for a day. */
  readonly isRenewed?: boolean
  /** The record from the only answer that contains its secret. */
  readonly record: object
  readonly onClose: () => void
}

/** Shows the secret of a record. No later answer contains it. */
export const RecordSecret = ({ kind, isRenewed, record, onClose }: SecretProps) => {
  const words = secretWords()
  const { secret } = record as { readonly secret: string }
  const title = words.title(isolate(kind.titleOf(record)))
  const text = isRenewed ? `${words.renewed} ${words.text}` : words.text
  return <SecretDialog title={title} text={text} secret={secret} onClose={onClose} label={words.secret} />
}

/** Makes a new secret. The old one stays valid for a day. */
export const RenewSecret = ({ kind, shown, onDone }: RecordViewProps) => {
  const words = secretWords()
  const [renewed, setRenewed] = useState<object>()
  const name = isolate(kind.titleOf(shown.value))
  const path = `/${kind.plural}/${kind.idOf(shown.value)}/secret`
  const renew = () =>
    callSignedIn(() => callApi<object>({ method: 'POST', path, isRepeatUnsafe: true })).then(
      ({ value }) => {
        setRenewed(value)
        notifyWithoutUndo()
        onDone()
      },
      reportNotDone(words.failed(name)),
    )
  return (
    <>
      <Button icon="key" text={words.renew} onClick={renew} />
      {renewed && (
        <RecordSecret isRenewed kind={kind} record={renewed} onClose={() => setRenewed(undefined)} />
      )}
    </>
  )
}

const secretWords = textsIn({
  title: (name: string) => [`The secret of ${name}`, `${name} のシークレット`],
  text: `Copy it now: it is shown only once. Anyone who has it can pass for its owner.
    いま控えてください。表示されるのは一度だけです。これを持つ人は誰でも本人になりすませます。`,
  secret: ['Secret', 'シークレット'],
  renew: ['New secret', 'シークレットを再発行'],
  renewed: ['The old secret stays valid for 24 hours.', '古いシークレットもあと 24 時間は有効です。'],
  failed: (name: string) => `${name} has no new secret.
    ${name} のシークレットは再発行されませんでした。`,
})
