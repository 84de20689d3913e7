import { useState } from 'preact/hooks'
import { ask, callApi } from '#console/app/api/ask.ts'
import { failureOf } from '#console/app/api/failure.ts'
import type { Kind, KnownItem } from '#console/app/records/kind.ts'
import { notifyFailure, notifyIrreversible } from '#console/app/state/notes.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Secret, useQuestion } from '#console/app/ui/dialog.tsx'
import { textsIn } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'

interface SecretParts {
  readonly kind: Kind
  /** The record from the only answer that contains its secret. */
  readonly made: object
  readonly onClose: () => void
}

/** Shows the secret of a record. No later answer contains it. */
export const RecordSecret = ({ kind, made, onClose }: SecretParts) => {
  const words = secretWords()
  const { secret } = made as { readonly secret: string }
  const title = words.title(isolated(kind.titleOf(made)))
  return <Secret {...{ title, secret, onClose }} text={words.text} what={words.secret} />
}

interface RenewParts {
  readonly kind: Kind
  readonly known: KnownItem
  readonly onDone: () => void
}

/** Makes a new secret. The old one stays valid for a day. */
export const RenewSecret = ({ kind, known, onDone }: RenewParts) => {
  const words = secretWords()
  const { ask: askFirst, question } = useQuestion()
  const [made, setMade] = useState<object>()
  const name = isolated(kind.titleOf(known.value))
  const path = `/${kind.plural}/${kind.idOf(known.value)}/secret`
  const renew = () =>
    ask(() => callApi<object>({ method: 'POST', path, isRepeatUnsafe: true })).then(
      ({ value }) => {
        setMade(value)
        notifyIrreversible()
        onDone()
      },
      (error) => notifyFailure(words.failed(name), failureOf(error)),
    )
  return (
    <>
      <Button
        icon="key"
        text={words.renew}
        onClick={() =>
          askFirst({
            title: words.renewTitle(name),
            text: words.renewText,
            yes: words.renew,
            kind: 'primary',
            onYes: renew,
          })
        }
      />
      {question}
      {made && <RecordSecret kind={kind} made={made} onClose={() => setMade(undefined)} />}
    </>
  )
}

const secretWords = textsIn({
  en: {
    title: (name: string) => `The secret of ${name}`,
    text: 'Copy it now: it is shown only once. Anyone who has it can pass for its owner.',
    secret: 'Secret',
    renew: 'New secret',
    renewTitle: (name: string) => `A new secret for ${name}?`,
    renewText: 'The old secret stays valid for 24 hours: give the new one to the other program before then.',
    failed: (name: string) => `${name} has no new secret.`,
  },
  ja: {
    title: (name: string) => `${name} のシークレット`,
    text: 'いま控えてください。表示されるのは一度だけです。これを持つ人は誰でも本人になりすませます。',
    secret: 'シークレット',
    renew: 'シークレットを再発行',
    renewTitle: (name: string) => `${name} のシークレットを再発行しますか？`,
    renewText:
      '古いシークレットもあと 24 時間は有効です。その間に新しいものを相手のプログラムに設定してください。',
    failed: (name: string) => `${name} のシークレットは再発行されませんでした。`,
  },
})
