"""Queue, controller, manager, leases, events, metrics and the webhook server: what every controller runs on.

Knows the cluster interface and the kinds, but no phase machine: what a reconcile does is told to it from above. All
time, identifiers and chance come from `Surroundings`, so all of it runs in virtual time.

| Room        | What is in it                                                                                  |
|-------------|------------------------------------------------------------------------------------------------|
| schedules   | `Priority`, `Schedule`: what is to be done when, and in which order; pure                      |
| queue       | `Queue`, `Job`: one job per key at a time, growing delays after failures                       |
| controllers | `Controller`, `Reconciler`, `Settings`: observe, decide, act                                   |
| intents     | `Patch`, `Create`, `Delete`, `Emit`, `WakeAt`, and the `Hands` that perform them; `Fence`      |
| outcomes    | `Outcome`, `Result`, and what each error means for its key; pure                               |
| errors      | `Retry`, `Terminal`, `LeaseLost`: what a reconcile raises                                      |
| manager     | `Manager`, `Part`, `Life`, `Entered`, `stopped_by_signals`: starting and stopping in order     |
| leases      | `Leases`, `Tenure`, `Sightings`, `Timing`: who lives, without comparing clocks                 |
| shards      | `Shards`: which replica owns which root object                                                 |
| recorders   | `Recorder`, `EventType`: Events that never hold up a reconcile                                 |
| metrics     | `Metrics`, `MeteredCluster`: figures for Prometheus                                            |
| health      | `HealthServer`: alive, ready, figures, log level                                               |
| logs        | `configure`, `about`, `name_job`, `set_level`: lines that name object and job                  |
| webhooks    | `WebhookServer`, and `admission` with the answers it gives                                     |
"""
