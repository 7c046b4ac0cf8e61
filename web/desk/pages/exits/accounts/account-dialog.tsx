import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sellerCounts } from '#contract/desk/choices'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../../state/i18n.ts'
import { Button } from '../../../../ui/button.tsx'
import { PasswordField } from '../../../../ui/fields/password-field.tsx'
import { SelectField } from '../../../../ui/fields/select-field.tsx'
import { TextField } from '../../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../../parts/act-dialog.tsx'
import { Fault } from '../../../parts/loaded.tsx'
import { query } from '../../../state/api.ts'
import { useAct } from '../../../state/use-act.ts'
import type { Account, OpenedAccount } from './opened.ts'
import styles from './accounts.module.css'

type Field = DeskOutput<'sellers'>[number]['fields'][number]

interface AccountDialogProps {
  /** Null: a new one. */
  account: Account | null
  onClose: () => void
  /** Opens another dialog of the account. */
  onOpen?: (dialog: OpenedAccount['dialog']) => void
}

/** Adds an account with its keys, or changes its exits, its counting and, on request, its keys. */
export function AccountDialog({ account, onClose, onOpen }: AccountDialogProps) {
  const { t } = useTranslation('deskSellers')
  const sellers = useQuery(query('sellers', {}))
  const [name, setName] = useState(account?.seller ?? '')
  const [label, setLabel] = useState(account?.label ?? '')
  const [counts, setCounts] = useState<Account['counts']>(account?.counts ?? 'both')
  const [exits, setExits] = useState<readonly string[]>(account?.exits.map(({ id }) => id) ?? [])
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [isRenewing, setRenewing] = useState(account === null)
  const adding = useAct('add_seller_account', onClose)
  const changing = useAct('set_seller_account', onClose)
  const seller =
    sellers.data?.find((each) => each.name === name) ?? (account === null ? sellers.data?.[0] : undefined)
  const fields = isRenewing ? (seller?.fields ?? []) : []
  const isFilled = fields.every(({ key, optional }) => optional || (typed[key] ?? '').trim() !== '')
  const credentials = Object.fromEntries(fields.map(({ key }) => [key, typed[key] ?? '']))
  const onSubmit = (reason: string) => {
    const why = reason === '' ? {} : { reason }
    if (account !== null)
      changing.run({
        id: account.id,
        counts,
        exits: [...exits],
        ...(isRenewing ? { credentials } : {}),
        ...why,
      })
    else if (seller !== undefined)
      adding.run({ seller: seller.name, label, counts, credentials, exits: [...exits], ...why })
  }
  return (
    <ActDialog
      title={account === null ? t('sellers.addTitle') : t('sellers.changeTitle', { name: account.label })}
      {...(account === null ? { description: t('sellers.addText') } : {})}
      submit={t(account === null ? 'sellers.save' : 'sellers.changeSave')}
      reason="optional"
      pending={adding.pending || changing.pending}
      fault={adding.fault ?? changing.fault}
      ready={label.trim() !== '' && isFilled && seller !== undefined}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      {account === null ? (
        <div className={styles.pair}>
          <SelectField
            label={t('sellers.seller')}
            value={seller?.name ?? ''}
            options={(sellers.data ?? []).map((each) => ({ value: each.name, label: each.title }))}
            onChange={(next) => {
              setName(next)
              setTyped({})
            }}
          />
          <TextField
            label={t('sellers.label')}
            hint={t('sellers.labelHint')}
            maxLength={64}
            value={label}
            onChange={(event) => setLabel(event.target.value)}
            autoComplete="off"
          />
        </div>
      ) : (
        <Existing account={account} onOpen={onOpen} />
      )}
      {isRenewing ? (
        fields.map((field) => (
          <KeyField
            key={field.key}
            field={field}
            value={typed[field.key] ?? ''}
            onType={(value) => setTyped((before) => ({ ...before, [field.key]: value }))}
          />
        ))
      ) : (
        <div>
          <Button size="small" onClick={() => setRenewing(true)}>
            {t('sellers.newKey')}
          </Button>
        </div>
      )}
      <SelectField
        label={t('sellers.counts')}
        value={counts}
        options={sellerCounts.map((value) => ({ value, label: t(`sellers.countsOf.${value}`) }))}
        onChange={setCounts}
      />
      {counts !== 'both' && <p className={styles.quiet}>{t('sellers.countsHint')}</p>}
      <ExitChoice chosen={exits} onChange={setExits} />
    </ActDialog>
  )
}

/** The acts on an existing account. */
function Existing({ account, onOpen }: { account: Account; onOpen: AccountDialogProps['onOpen'] }) {
  const { t } = useTranslation('deskSellers')
  const { pending, fault, result, run } = useAct('check_seller_account')
  const sellers = useQuery(query('sellers', {}))
  const seller = sellers.data?.find(({ name }) => name === account.seller)
  const hasBill = seller !== undefined && (seller.offers.includes('usage') || seller.meter !== null)
  const read = result?.parts
    .filter((part) => part.fault === null)
    .map(({ part }) => t(`sellers.part.${part}`))
  return (
    <>
      <div className={styles.acts}>
        <Button size="small" pending={pending} onClick={() => run({ id: account.id })}>
          {t('sellers.check')}
        </Button>
        {hasBill && (
          <Button size="small" onClick={() => onOpen?.('bill')}>
            {t('sellers.billColumn')}
          </Button>
        )}
        {account.asked !== null && (
          <Button size="small" onClick={() => onOpen?.('places')}>
            {t('sellers.decidePlaces')}
          </Button>
        )}
        <Button size="small" onClick={() => onOpen?.('answers')}>
          {t('sellers.answers')}
        </Button>
        <Button size="small" onClick={() => onOpen?.('remove')}>
          {t('sellers.remove')}
        </Button>
      </div>
      {fault !== undefined && <Fault text={fault} />}
      {read !== undefined && read.length > 0 && (
        <p role="status">{t('sellers.checked', { parts: read.join(', ') })}</p>
      )}
      {result?.parts.map((part) => part.fault !== null && <Fault key={part.part} text={part.fault} />)}
    </>
  )
}

function KeyField({
  field,
  value,
  onType,
}: {
  field: Field
  value: string
  onType: (value: string) => void
}) {
  const { t } = useTranslation(['deskSellers', 'desk'])
  const common = {
    label: field.optional ? t('sellers.optional', { label: field.label }) : field.label,
    value,
    onChange: (event: { target: { value: string } }) => onType(event.target.value),
    autoComplete: 'off',
  }
  return field.secret ? (
    <PasswordField {...common} showText={t('desk:password.show')} hideText={t('desk:password.hide')} />
  ) : (
    <TextField {...common} spellCheck={false} mono />
  )
}

/** The exits to choose from: only sellers' proxies, since direct exits are not bought. */
function ExitChoice({
  chosen,
  onChange,
}: {
  chosen: readonly string[]
  onChange: (ids: readonly string[]) => void
}) {
  const { t } = useTranslation(['deskSellers', 'header'])
  const exits = useQuery(query('exits', {}))
  const bought = exits.data?.filter(({ kind, id }) => kind !== 'direct' || chosen.includes(id)) ?? []
  return (
    <fieldset className={styles.choice}>
      <legend>{t('sellers.exits')}</legend>
      {exits.data !== undefined && bought.length === 0 && (
        <p className={styles.quiet}>{t('sellers.noExits')}</p>
      )}
      {bought.map(({ id, name, pool }) => (
        <label key={id} className={styles.tick}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
            }
          />
          <span>{`${name}, ${t(`header:pools.${pool}`)}`}</span>
        </label>
      ))}
      {bought.length > 0 && <p className={styles.quiet}>{t('sellers.exitsHint')}</p>}
    </fieldset>
  )
}
