import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type NoticeKind, noticeKinds, type NoticeWay } from '#contract/account-rules'
import type { Input, Output } from '#contract/contract'
import { call } from '../../state/api.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { useMay } from '../../state/team/team.ts'
import { useSite } from '../../state/site.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { DecimalField } from '../../ui/fields/decimal-field.tsx'
import { gbText } from '../decimal-text.ts'
import { ReadFailedCard } from '../read-failed.tsx'
import { toastFailure } from '../toast-failure.ts'
import { readThreshold } from './notice-threshold.ts'
import styles from './notices-card.module.css'

type Notices = Output<'get_notices'>

/** The notices about traffic, and the channels they are sent by. */
export function NoticesCard({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const notices = useQuery(query('get_notices', {}))
  const hasBot = (useSite()?.telegram_bot ?? null) !== null
  const security = useOptionalRead({ ...query('security', {}), enabled: hasBot })
  if (notices.data === undefined)
    return notices.isError ? <ReadFailedCard what={t('notices.title')} read={notices} /> : null
  const ways: readonly NoticeWay[] = hasBot ? ['email', 'telegram'] : ['email']
  return (
    <Card as="section" aria-label={t('notices.title')}>
      <h2 className={styles.title}>{t('notices.title')}</h2>
      <p className={styles.text}>{t('notices.text')}</p>
      <Choices notices={notices.data} ways={ways} />
      <Threshold key={notices.data.below_bytes} bytes={notices.data.below_bytes} />
      <p className={styles.text}>
        {`${user.email === null ? t('notices.noEmail') : !user.confirmed ? t('notices.unconfirmed') : ''} ${hasBot && security?.telegram_linked === false ? t('notices.noTelegram') : ''}`}
      </p>
    </Card>
  )
}

function useSave() {
  const { t } = useTranslation('userBtns')
  return useMutation({
    mutationFn: (input: Input<'set_notices'>) => call('set_notices', input),
    onSuccess: (saved) => queryClient.setQueryData(query('get_notices', {}).queryKey, saved),
    onError: (error) => toastFailure(error, t('notices.failed')),
  })
}

function Choices({ notices, ways }: { notices: Notices; ways: readonly NoticeWay[] }) {
  const { t } = useTranslation('userBtns')
  const mayChange = useMay('set_notices')
  const save = useSave()
  // Shows the answer of the change; until it arrives, the choice.
  const isOn = (kind: NoticeKind, via: NoticeWay) =>
    (save.isPending ? save.variables[kind]?.[via] : undefined) ?? notices[kind][via]
  return (
    <ul className={styles.kinds}>
      {noticeKinds.map((kind) => (
        <li key={kind}>
          <div className={styles.name}>{t(`notices.kind.${kind}`)}</div>
          <div className={styles.about}>{t(`notices.kind.${kind}Text`)}</div>
          <div className={styles.ways}>
            {ways.map((via) => (
              <label key={via} className={styles.way}>
                <input
                  type="checkbox"
                  checked={isOn(kind, via)}
                  disabled={!mayChange || save.isPending}
                  aria-label={`${t(`notices.kind.${kind}`)}: ${t(`notices.via.${via}`)}`}
                  onChange={(event) => save.mutate({ [kind]: { [via]: event.target.checked } })}
                />
                <span>{t(`notices.via.${via}`)}</span>
              </label>
            ))}
          </div>
        </li>
      ))}
    </ul>
  )
}

function Threshold({ bytes }: { bytes: number | null }) {
  const { t } = useTranslation('userBtns')
  const mayChange = useMay('set_notices')
  const save = useSave()
  const language = useLanguage()
  const [typed, setTyped] = useState(() => gbText(bytes, language))
  const [isWrong, setWrong] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = readThreshold(typed)
    setWrong(wanted === undefined)
    if (wanted !== undefined)
      save.mutate({ below_bytes: wanted }, { onSuccess: () => toast.success(t('notices.saved')) })
  }
  return (
    <form className={styles.threshold} onSubmit={submit} noValidate>
      <DecimalField
        label={t('notices.below')}
        hint={t('notices.belowHint')}
        error={isWrong ? t('notices.belowBad') : undefined}
        value={typed}
        disabled={!mayChange}
        onType={setTyped}
      />
      <Button type="submit" pending={save.isPending} disabled={!mayChange || readThreshold(typed) === bytes}>
        {t('notices.save')}
      </Button>
    </form>
  )
}
