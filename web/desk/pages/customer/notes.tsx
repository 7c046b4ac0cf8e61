import X from 'lucide-react/icons/x'
import { type SubmitEvent, useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { TextArea } from '../../../ui/fields/text-area.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import type { Customer } from './types.ts'
import styles from './customer.module.css'

/** Notes of staff, which the customer never sees. */
export function Notes({ customer }: { customer: Customer }) {
  const { t } = useTranslation('deskPages')
  const mayNote = useMay()('add_note')
  const [typed, setTyped] = useState('')
  const add = useAct('add_note', () => setTyped(''))
  const remove = useAct('remove_note')
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (typed.trim() !== '') add.run({ id: customer.id, text: typed.trim() })
  }
  const fault = add.fault ?? remove.fault
  return (
    <Section title={t('customer.notes')}>
      {customer.notes.length > 0 && (
        <ul className={styles.notes}>
          {customer.notes.map((note) => (
            <li key={note.id} className={styles.note}>
              <p>{note.text}</p>
              <div className={styles.by}>
                <span>
                  <span>{`${note.by.name},`}</span> <Moment iso={note.at} recent />
                </span>
                {mayNote && (
                  <button
                    type="button"
                    className={styles.remove}
                    aria-label={t('customer.removeNote')}
                    onClick={() => remove.run({ note_id: note.id })}
                  >
                    <X size={14} aria-hidden="true" />
                  </button>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {mayNote && (
        <form className={styles.form} onSubmit={onSubmit}>
          <TextArea
            label={t('customer.newNote')}
            labelHidden
            placeholder={t('customer.newNote')}
            rows={2}
            maxLength={4000}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <div>
            <Button type="submit" size="small" pending={add.pending}>
              {t('customer.addNote')}
            </Button>
          </div>
        </form>
      )}
      {fault !== undefined && <Fault text={fault} />}
    </Section>
  )
}
