import { Fragment } from 'react'
import { maxLines, protocols } from '#contract/proxy-lines'
import { defaultSessionMinutes, maxSessionMinutes } from '#contract/session-times'
import { useTranslation } from '../../state/i18n.ts'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import styles from './connection-rows.module.css'
import { Row, Section } from './setting-rows.tsx'
import { sessionTypes, type Settings } from './settings.ts'

interface RowsProps {
  settings: Settings
  onChange: (settings: Settings) => void
}

const protocolNames = { http: 'HTTP', https: 'HTTPS', socks5: 'SOCKS5' } as const

/** The settings of the connection: protocol, session, rotation, anonymity. */
export function ConnectionRows({ settings, onChange }: RowsProps) {
  const { t } = useTranslation('userPanel')
  const sticky = settings.session_type === 'sticky'
  return (
    <Section title={t('connection.title')}>
      <Row label={t('connection.protocol')}>
        <Segmented
          label={t('connection.protocol')}
          value={settings.protocol}
          options={protocols.map((value) => ({ value, label: protocolNames[value] }))}
          onChange={(protocol) => onChange({ ...settings, protocol })}
        />
      </Row>
      <Row
        label={t('connection.session')}
        hint={t(sticky ? 'connection.stickyHint' : 'connection.rotatingHint')}
      >
        <Segmented
          label={t('connection.session')}
          value={settings.session_type}
          options={sessionTypes.map((value) => ({ value, label: t(`connection.${value}`) }))}
          onChange={(session_type) => onChange({ ...settings, session_type })}
        />
      </Row>
      <Row label={t('connection.interval')}>
        <NumberField
          label={t('connection.interval')}
          labelHidden
          value={settings.interval}
          max={maxSessionMinutes}
          unit={t('connection.minutes')}
          hint={
            sticky
              ? t('connection.stickyDefault', { count: defaultSessionMinutes })
              : t('connection.rotatingDefault')
          }
          className={styles.count}
          onChange={(interval) => onChange({ ...settings, interval })}
        />
      </Row>
      <Row label={t('connection.anon')} hint={t('connection.anonHint')}>
        <Segmented
          label={t('connection.anon')}
          value={settings.anon ? 'on' : 'off'}
          options={[
            { value: 'on', label: t('connection.anonOn') },
            { value: 'off', label: t('connection.anonOff') },
          ]}
          onChange={(value) => onChange({ ...settings, anon: value === 'on' })}
        />
      </Row>
    </Section>
  )
}

/** The settings of the output: the format and the number of lines. */
export function OutputRows({ settings, onChange, onFormat }: RowsProps & { onFormat: () => void }) {
  const { t } = useTranslation('userPanel')
  const hasNoPassword = settings.access_format === 'hostname:port'
  return (
    <Section title={t('output.title')}>
      <Row label={t('output.format')} hint={hasNoPassword ? t('output.formatNoPassword') : undefined}>
        <button type="button" className={styles.format} onClick={onFormat}>
          <span className="sr-only">{`${t('output.format')}: `}</span>
          <span translate="no" className="mono">
            {settings.access_format.split(/(?<=[:@])/).map((part) => (
              // A long format breaks between its parts.
              <Fragment key={part}>
                <span>{part}</span>
                <wbr />
              </Fragment>
            ))}
          </span>
          <span className={styles.action}>{t('place.change')}</span>
        </button>
      </Row>
      <Row label={t('output.quantity')}>
        <NumberField
          label={t('output.quantity')}
          labelHidden
          value={settings.proxy_amount}
          max={maxLines}
          placeholder="1"
          hint={t('output.quantityHint')}
          className={styles.count}
          onChange={(proxy_amount) => onChange({ ...settings, proxy_amount })}
        />
      </Row>
    </Section>
  )
}
