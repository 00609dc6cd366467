import { Gauge, type Registry } from 'prom-client'

/** Gauges for waiting items from one database query; a failed query leaves them unchanged. */
export const backlogGauges =
  <Field extends string>(registers: Registry[], read: () => Promise<{ [F in Field]: number } | undefined>) =>
  (name: string, help: string, field: Field) =>
    new Gauge({
      name,
      help,
      // Every process of a node has the same count.
      aggregator: 'max',
      registers,
      async collect() {
        const backlog = await read()
        if (backlog) this.set(backlog[field])
      },
    })
