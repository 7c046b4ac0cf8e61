import X from 'lucide-react/icons/x'
import { type SubmitEvent, useState } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import type { Customer } from './types.ts'
import styles from './customer.module.css'

export function Tags({ customer }: { customer: Customer }) {
  const { t } = useTranslation('deskPages')
  const mayChange = useMay()('set_tags')
  const [typed, setTyped] = useState('')
  const { pending, fault, run } = useAct('set_tags', () => setTyped(''))
  const set = (tags: readonly string[]) => run({ id: customer.id, tags: [...tags] })
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const tag = typed.trim()
    if (tag !== '' && !customer.tags.includes(tag)) set([...customer.tags, tag])
  }
  return (
    <Section title={t('column.tags')}>
      {customer.tags.length > 0 && (
        <ul className={styles.tags}>
          {customer.tags.map((tag) => (
            <li key={tag} className={styles.tag}>
              <Link to={`/customers?tag=${encodeURIComponent(tag)}`}>{tag}</Link>
              {mayChange && (
                <button
                  type="button"
                  className={styles.remove}
                  aria-label={t('customer.removeTag', { tag })}
                  onClick={() => set(customer.tags.filter((other) => other !== tag))}
                >
                  <X size={14} aria-hidden="true" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange && (
        <form className={styles.formRow} onSubmit={onSubmit}>
          <TextField
            label={t('customer.newTag')}
            labelHidden
            placeholder={t('customer.newTag')}
            value={typed}
            maxLength={40}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button type="submit" pending={pending}>
            {t('customer.add')}
          </Button>
        </form>
      )}
      {fault !== undefined && <Fault text={fault} />}
    </Section>
  )
}
