import { Suspense, useState } from 'react'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { splitLines } from '../panel/lines.ts'
import { ProofDialog } from '../proof/proof-dialog.tsx'
import styles from './presets.module.css'
import type { Preset } from './wish.ts'
import type { PresetActs } from './use-presets.ts'

const QrCode = lazyPart(async () => (await import('../../ui/factors/qr-code.tsx')).QrCode)

const pacOf = (url: string) => `${url}/proxy.pac`

interface LinkDialogProps {
  preset: Preset
  acts: PresetActs
  onClose: () => void
}

/** The secret link of a preset: made, shown once, renewed, revoked. */
export function LinkDialog({ preset, acts, onClose }: LinkDialogProps) {
  const { t } = useTranslation('generator')
  const language = useLanguage()
  const dateTime = (iso: string) => formatDateTime(iso, language)
  const [url, setUrl] = useState<string | null>(null)
  const { link } = preset
  const renew = () =>
    acts.renewLink.mutate(preset.number, {
      onSuccess: ({ path }) => setUrl(`${window.location.origin}${path}`),
    })
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t('link.of', { label: preset.label })}
      description={t('link.text')}
      closeLabel={t('close')}
      footer={
        <>
          {link !== null && (
            <Button
              pending={acts.revokeLink.isPending}
              onClick={() => acts.revokeLink.mutate(preset.number, { onSuccess: () => setUrl(null) })}
            >
              {t('link.revoke')}
            </Button>
          )}
          <Button
            variant={url === null ? 'primary' : 'secondary'}
            pending={acts.renewLink.isPending}
            onClick={renew}
          >
            {t(link === null ? 'link.make' : 'link.renew')}
          </Button>
        </>
      }
    >
      <div className={styles.link}>
        {link !== null && (
          <p className={styles.quiet}>
            {`${t('link.made', { time: dateTime(link.created_at) })} ${link.last_used_at === null ? t('link.unused') : t('link.used', { time: dateTime(link.last_used_at) })}`}
          </p>
        )}
        {url === null ? (
          link !== null && <p>{t('link.hidden')}</p>
        ) : (
          <>
            <p className={styles.once}>{t('link.once')}</p>
            <Address name={t('link.list')} url={url} />
            <Address name={t('link.pac')} url={pacOf(url)} />
            <p className={styles.quiet}>{t('link.pacText')}</p>
            <Login preset={preset} />
            <figure className={styles.qr}>
              <Suspense fallback={null}>
                <QrCode text={pacOf(url)} label={t('link.qr')} />
              </Suspense>
              <figcaption>{t('link.qrText')}</figcaption>
            </figure>
          </>
        )}
      </div>
      {/* Rendered inside this dialog, so that it opens above it. */}
      <ProofDialog />
    </Dialog>
  )
}

/**
 * The credentials that the browser asks for when a PAC file names the proxy: the file has no place for them.
 * Nothing for lines without credentials.
 */
function Login({ preset }: { preset: Preset }) {
  const { t } = useTranslation('generator')
  const { pool, settings } = preset
  const isOpen = settings.format === 'hostname:port'
  const data = useOptionalRead({
    ...query('get_proxy', { pool, ...settings, format: 'login:password:hostname:port', quantity: 1 }),
    enabled: !isOpen,
    staleTime: Infinity,
    retry: false,
  })
  const [login, password] = splitLines(data ?? '')[0]?.split(':') ?? []
  if (isOpen || login === undefined || password === undefined) return null
  return (
    <>
      <Address name={t('link.login')} url={login} />
      <Address name={t('link.password')} url={password} />
    </>
  )
}

function Address({ name, url }: { name: string; url: string }) {
  const { t } = useTranslation(['generator', 'userPanel', 'userBtns'])
  return (
    <div className={styles.address}>
      <span className={styles.name}>{name}</span>
      <code translate="no" className={styles.url}>
        {url}
      </code>
      <CopyButton
        iconOnly
        text={url}
        label={t('link.copy', { name })}
        copiedLabel={t('userBtns:copy.done')}
        failedLabel={t('userBtns:copy.failed')}
      />
    </div>
  )
}
