import { useRef, useState } from 'react'

/**
 * The order of a form whose call was not answered. It may have been made, so the form sends exactly the same
 * again, with the same key, and does not compute it anew: a promo code that it has used would be refused.
 */
export function useUnsureOrder<Order>() {
  const [order, setOrder] = useState<Order | null>(null)
  const isEdited = useRef(false)
  return {
    /** Null: it is known of each order whether it was made, or the customer has changed the form since. */
    order,
    sent: () => {
      isEdited.current = false
    },
    /** Returns false where the form was edited while it waited: it then has another order. */
    remember: (unanswered: Order): boolean => {
      setOrder(isEdited.current ? null : unanswered)
      return !isEdited.current
    },
    forget: () => setOrder(null),
    /** To be called when the customer changes the form. */
    edited: () => {
      isEdited.current = true
      setOrder(null)
    },
  }
}
