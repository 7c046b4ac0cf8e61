import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { isEmail } from '#contract/account-rules'
import type { DeskOutput } from '#contract/desk/contract'
import { offeredMethod } from '#contract/desk/shop-settings'
import {
  connectionOf,
  type TestedGroup,
  testedGroups,
  type VariableGroup,
  variableOf,
} from '#contract/desk/variables'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay, useSession } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { ChangeDialog } from './change-dialog.tsx'
import { connectionState, lastChange, valuesOf } from './connection.ts'
import styles from './settings.module.css'

type Group = DeskOutput<'variables'>[number]
type Setting = DeskOutput<'settings'>['changeable'][number]

const sections = ['payments', 'messages', 'receipts'] as const

const tones = { pinned: 'warning', set: 'good', none: 'quiet' } as const

/** Payment processors, mail, bot and receipts: what the shop is connected to, changed without a restart. */
export function Connections({ settings }: { settings: readonly Setting[] }) {
  const { t } = useTranslation('deskSettings')
  const may = useMay()
  const mayChange = may('change_variables')
  const groups = useQuery(query('variables', {}))
  const [open, setOpen] = useState<VariableGroup | null>(null)
  const [tested, setTested] = useState<TestedGroup | null>(null)
  const [switched, setSwitched] = useState<Setting | null>(null)
  const offerOf = (group: VariableGroup) => settings.find(({ name }) => offeredMethod(name) === group) ?? null
  return (
    <Loaded query={groups}>
      {(data) => {
        const chosen = data.find(({ group }) => group === open)
        return (
          <>
            <p className={styles.intro}>{t('connections.intro')}</p>
            {data.some((group) => group.is_pinned) && (
              <p className={styles.intro}>{t('connections.pinned')}</p>
            )}
            {sections.map((title) => (
              <Section key={title} title={t(`connections.section.${title}`)}>
                <ul className={styles.list}>
                  {data
                    .filter(({ group }) => connectionOf(group).section === title)
                    .map((group) => (
                      <ConnectionRow
                        key={group.group}
                        group={group}
                        offer={offerOf(group.group)}
                        onOffer={may('change_setting') ? setSwitched : null}
                        onChange={mayChange && !group.is_pinned ? () => setOpen(group.group) : null}
                        onTest={may('test_connection') ? setTested : null}
                      />
                    ))}
                </ul>
              </Section>
            ))}
            {tested !== null && <TestDialog group={tested} onClose={() => setTested(null)} />}
            {switched !== null && <ChangeDialog setting={switched} onClose={() => setSwitched(null)} />}
            {chosen !== undefined && <ConnectionDialog group={chosen} onClose={() => setOpen(null)} />}
          </>
        )
      }}
    </Loaded>
  )
}

interface ConnectionRowProps {
  group: Group
  /** Whether the payment method is offered to customers; null: the connection is no payment method. */
  offer: Setting | null
  onOffer: ((setting: Setting) => void) | null
  onChange: (() => void) | null
  onTest: ((group: TestedGroup) => void) | null
}

function ConnectionRow({ group, offer, onOffer, onChange, onTest }: ConnectionRowProps) {
  const { t } = useTranslation('deskSettings')
  const state = connectionState(group)
  const last = lastChange(group)
  const language = useLanguage()
  const { name: names, about } = connectionOf(group.group)
  const title = names[language]
  const test = testedGroups.find((name) => name === group.group)
  const changeText = t(state === 'none' ? 'connections.set' : 'settings.change')
  const offerText = t(offer?.value === '0' ? 'connections.offer' : 'connections.withdraw')
  const testText = t(test === 'mail' ? 'connections.testMail' : 'connections.test')
  const isNamed = useLocation().hash === `#${group.group}`
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    // The router looked for the part before it was read.
    if (!isNamed) return
    row.current?.scrollIntoView({ block: 'center' })
    row.current?.querySelector('button')?.focus({ preventScroll: true })
  }, [isNamed])
  return (
    <li
      ref={row}
      id={group.group}
      className={classNames(styles.row, styles.connection, isNamed && styles.named)}
    >
      <div className={styles.what}>
        <h3 className={styles.name}>{title}</h3>
        <p className={styles.about}>{about[language]}</p>
      </div>
      <div className={styles.value}>
        <span className={styles.source}>
          <Badge tone={tones[state]}>{t(`connections.state.${state}`)}</Badge>
          {state !== 'none' && offer?.value === '0' && (
            <Badge tone="warning">{t('connections.notOffered')}</Badge>
          )}
          {last !== null && !group.is_pinned && (
            <span>
              <Moment iso={last.at} recent />
              <span>{`, ${last.by}`}</span>
            </span>
          )}
        </span>
      </div>
      <div className={styles.acts}>
        {onChange !== null && (
          <Button size="small" aria-label={`${changeText}: ${title}`} onClick={onChange}>
            {changeText}
          </Button>
        )}
        {onTest !== null && test !== undefined && state !== 'none' && (
          <Button size="small" aria-label={`${testText}: ${title}`} onClick={() => onTest(test)}>
            {testText}
          </Button>
        )}
        {onOffer !== null && offer !== null && state !== 'none' && (
          <Button size="small" aria-label={`${offerText}: ${title}`} onClick={() => onOffer(offer)}>
            {offerText}
          </Button>
        )}
      </div>
    </li>
  )
}

function ConnectionDialog({
  group: { group, variables, open },
  onClose,
}: {
  group: Group
  onClose: () => void
}) {
  const { t } = useTranslation('deskSettings')
  const language = useLanguage()
  const { name: names, about, needs, isNotified } = connectionOf(group)
  const { pending, fault, run } = useAct('change_variables', onClose)
  const [typed, setTyped] = useState<Record<string, string>>(() =>
    Object.fromEntries(variables.map(({ name, value }) => [name, value ?? ''])),
  )
  const isSet = variables.some((variable) => variable.is_set)
  const clear = () => setTyped(Object.fromEntries(variables.map(({ name }) => [name, ''])))
  const [isCleared, setCleared] = useState(false)
  const [leavesOpen, setLeavesOpen] = useState(false)
  const whatIsOpen = useOpenText(open)
  const { shop_url: shopUrl } = useSession()
  const webhook = new URL(`/api/webhooks/${group}`, shopUrl).href
  /** Refusals name the variable; the form has its label. */
  const named = (word: string) => {
    const variable = variables.find(({ name }) => name === word)
    if (variable === undefined) return word
    return t('connections.field', { label: variableOf(variable.name).label[language], name: word })
  }
  return (
    <ActDialog
      title={names[language]}
      description={about[language]}
      submit={t(isCleared ? 'connections.disconnect' : 'settings.save')}
      pending={pending}
      fault={fault?.replaceAll(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g, named)}
      onClose={onClose}
      isDanger={isCleared}
      // A setting that was never set has no history that a reason would explain.
      reason={isSet ? 'required' : 'first'}
      onSubmit={(reason) =>
        run({ group, values: valuesOf(variables, typed, isCleared), leaves_open: leavesOpen, reason })
      }
    >
      <div className={styles.fields}>
        {needs !== undefined && <p className={styles.about}>{needs[language]}</p>}
        {isNotified && (
          <p className={styles.about}>
            <span>{t('connections.webhook')}</span>{' '}
            <span className={styles.webhook}>
              <code translate="no">{webhook}</code>
              <CopyButton
                iconOnly
                text={webhook}
                label={t('connections.copyWebhook')}
                copiedLabel={t('alerts.copied')}
                failedLabel={t('alerts.notCopied')}
              />
            </span>
          </p>
        )}
        {variables.map(({ name, is_secret: isSecret, is_set: hasValue }) => (
          <TextField
            key={name}
            label={variableOf(name).label[language]}
            hint={isSecret && hasValue && !isCleared ? t('connections.kept') : undefined}
            mono
            type={isSecret ? 'password' : 'text'}
            autoComplete="off"
            spellCheck={false}
            disabled={isCleared}
            value={typed[name] ?? ''}
            onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
          />
        ))}
        {isSet && !isCleared && (
          <Button
            size="small"
            variant="ghost"
            onClick={() => {
              clear()
              setCleared(true)
            }}
          >
            {t('connections.disconnect')}
          </Button>
        )}
        {isSet && whatIsOpen !== null && (
          <div className={styles.open}>
            <p>{t('connections.openNow', { list: whatIsOpen })}</p>
            <p className={styles.about}>{t('connections.openText')}</p>
            <label className={styles.check}>
              <input
                type="checkbox"
                checked={leavesOpen}
                onChange={(event) => setLeavesOpen(event.target.checked)}
              />
              <span>{t('connections.leavesOpen')}</span>
            </label>
          </div>
        )}
      </div>
    </ActDialog>
  )
}

/** What still depends on the current keys (invoices, refunds, disputes, saved methods); null: nothing. */
function useOpenText(open: Group['open']): string | null {
  const { t } = useTranslation('deskSettings')
  const { number } = useFigures()
  const parts = [
    { key: 'connections.openInvoices', count: open.invoices },
    { key: 'connections.openRefunds', count: open.refunds },
    { key: 'connections.openDisputes', count: open.disputes },
    { key: 'connections.openSaved', count: open.saved_methods },
  ] as const
  const told = parts
    .filter(({ count }) => count > 0)
    .map(({ key, count }) => t(key, { count: number(count) }))
  return told.length === 0 ? null : told.join(', ')
}

/** Tests a connection with the current keys, and shows the answer. */
function TestDialog({ group, onClose }: { group: TestedGroup; onClose: () => void }) {
  const { t } = useTranslation('deskSettings')
  const { pending, fault, result, run } = useAct('test_connection')
  const [to, setTo] = useState('')
  const isMail = group === 'mail'
  const name = connectionOf(group).name[useLanguage()]
  return (
    <ActDialog
      title={t('connections.testing', { name })}
      description={t(isMail ? 'connections.testMailText' : 'connections.testText')}
      submit={t(isMail ? 'connections.testMail' : 'connections.test')}
      pending={pending}
      fault={fault}
      reason="none"
      isDone={result?.is_good === true}
      ready={!isMail || isEmail(to.trim())}
      onClose={onClose}
      onSubmit={() => run(isMail ? { group, to: to.trim() } : { group })}
    >
      {isMail && (
        <TextField
          type="email"
          label={t('connections.to')}
          value={to}
          onChange={(event) => setTo(event.target.value)}
          autoComplete="email"
          maxLength={254}
        />
      )}
      <div role="status">
        {result !== undefined &&
          (result.is_good ? <p>{result.sentence}</p> : <Fault text={result.sentence} />)}
      </div>
    </ActDialog>
  )
}
