import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { publicUrlPlaceholder } from '#contract/pages'
import { parseLine } from '#contract/proxy-lines'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { SecretField } from '../../ui/fields/secret-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ReadFailed } from '../read-failed.tsx'
import { exampleFormat, exampleInput, exampleKey, splitLines } from '../panel/lines.ts'
import { loadSettings } from '../panel/settings.ts'
import { usablePool, usablePools } from '../profile.ts'
import { useSecretLabels } from '../secret-labels.ts'
import { tabHref } from '#contract/account-tabs'
import { CurlCommand } from './curl-command.tsx'
import styles from './connection-card.module.css'

/** What a program needs to use the proxy, for the pool and the settings that were used last. */
export function ConnectionCard({ user }: { user: Session }) {
  const { t } = useTranslation(['requests', 'header'])
  const [settings] = useState(loadSettings)
  const usable = usablePools(user)
  const [chosen, choose] = useState<Pool>(settings.pool)
  const pool = usablePool(user, chosen)
  if (usable.length === 0) return null
  return (
    <Card as="section" aria-labelledby="connection">
      <div className={styles.head}>
        <h2 id="connection" className={styles.title}>
          {t('requests:overview.card.title')}
        </h2>
        {usable.length > 1 && (
          <SelectField
            label={t('requests:overview.card.pool')}
            labelHidden
            value={pool}
            options={usable.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
            onChange={choose}
          />
        )}
      </div>
      <p className={styles.text}>{t('requests:overview.card.text')}</p>
      <Values key={pool} pool={pool} password={user[pool].password} />
    </Card>
  )
}

function Values({ pool, password }: { pool: Pool; password: string | null }) {
  const { t } = useTranslation('requests')
  const [settings] = useState(loadSettings)
  const [isShown, setShown] = useState(false)
  const labels = useSecretLabels()
  const input = exampleInput(settings, pool)
  const read = useQuery({
    queryKey: exampleKey(input, password),
    queryFn: ({ signal }) => call('get_proxy', input, { signal }),
    staleTime: Infinity,
    retry: false,
  })
  const { data, isError } = read
  if (data === undefined && isError)
    return (
      <ReadFailed
        what={t('overview.card.title')}
        pending={read.isFetching}
        onRetry={() => void read.refetch()}
      />
    )
  const endpoint = data === undefined ? null : parseLine(exampleFormat, splitLines(data)[0] ?? '')
  if (data === undefined)
    return (
      <div className={styles.skeleton} aria-hidden="true">
        <Skeleton characters={40} />
        <Skeleton characters={40} />
      </div>
    )
  const credentials = endpoint?.credentials ?? null
  if (endpoint === null || credentials === null)
    return (
      <div className={styles.failed} role="status">
        <p>{t('overview.card.unreadable')}</p>
        <Button href={tabHref('panel')}>{t('repair.generator')}</Button>
      </div>
    )
  const request = {
    endpoint,
    protocol: settings.protocol,
    target: `${import.meta.env.SSR ? publicUrlPlaceholder : window.location.origin}/api/echo`,
  }
  const copyable = (name: string, text: string) => (
    <div>
      <dt>{name}</dt>
      <dd className={styles.value}>
        <code translate="no">{text}</code>
        <CopyButton
          iconOnly
          text={text}
          label={t('overview.card.copy', { name })}
          copiedLabel={labels.copied}
          failedLabel={labels.copyFailed}
        />
      </dd>
    </div>
  )
  return (
    <>
      <dl className={styles.values}>
        {copyable(t('overview.card.host'), endpoint.hostname)}
        {copyable(t('overview.card.port'), String(endpoint.port))}
        {copyable(t('overview.card.login'), credentials.login)}
        <div>
          <dt>{t('overview.card.password')}</dt>
          <dd>
            <SecretField
              label={t('overview.card.password')}
              text={credentials.password}
              shown={isShown}
              onToggle={() => setShown(!isShown)}
              labels={labels}
            />
          </dd>
        </div>
      </dl>
      <CurlCommand request={request} isShown={isShown} />
    </>
  )
}
