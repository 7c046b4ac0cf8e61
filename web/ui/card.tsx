import type { ComponentProps } from 'react'
import styles from './card.module.css'
import { classes } from './classes.ts'

interface CardProps extends ComponentProps<'div'> {
  as?: 'div' | 'section' | 'article' | 'li'
  /** `asphalt` is the dark card that marks the one that matters; `painted` has an edge of road paint. */
  tone?: 'surface' | 'raised' | 'asphalt' | 'painted'
  padding?: 'none' | 'medium' | 'large'
}

export function Card({
  as: Tag = 'div',
  tone = 'surface',
  padding = 'medium',
  className,
  ...rest
}: CardProps) {
  // The four tags take the same attributes; TypeScript cannot join their ref types.
  const Element = Tag as 'div'
  return (
    <Element
      {...rest}
      className={classes(styles.card, styles[tone], styles[`padding-${padding}`], className)}
    />
  )
}
