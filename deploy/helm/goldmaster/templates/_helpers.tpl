{{- define "goldmaster.pod" -}}
# No pod calls the Kubernetes API.
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  # Reads the mounted secrets.
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
# A stop takes up to ten seconds, after the five in which new requests are no longer routed here.
terminationGracePeriodSeconds: 20
volumes:
  - { name: tmp, emptyDir: {} }
  - { name: secrets, secret: { secretName: {{ .Values.secretName }}, defaultMode: 0440 } }
  {{- if .Values.files.claim }}
  - { name: files, persistentVolumeClaim: { claimName: {{ .Values.files.claim | quote }} } }
  {{- end }}
{{- end }}

{{/* One node of a machine, and one zone, after the other. */}}
{{- define "goldmaster.spread" -}}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: { app.kubernetes.io/instance: {{ $.release }}, app.kubernetes.io/component: {{ $.component }} }
  {{- end }}
{{- end }}

{{- define "goldmaster.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: secrets, mountPath: /run/secrets/goldmaster, readOnly: true }
  {{- if .Values.files.claim }}
  - { name: files, mountPath: /files }
  {{- end }}
env:
  {{- range $name := .Values.secretKeys }}
  - { name: {{ $name }}_FILE, value: /run/secrets/goldmaster/{{ $name }} }
  {{- end }}
  {{- if .Values.files.claim }}
  - { name: FILES_DIR, value: /files }
  {{- end }}
  - { name: BASE_URL, value: {{ .Values.baseUrl | quote }} }
  {{- range $name, $value := .Values.env }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
{{- end }}
