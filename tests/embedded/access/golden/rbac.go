package main

import (
	"context"
	"encoding/json"
	"os"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

type Query struct {
	User        string   `json:"user"`
	Groups      []string `json:"groups"`
	Verb        string   `json:"verb"`
	Group       string   `json:"group"`
	Resource    string   `json:"resource"`
	Subresource string   `json:"subresource"`
	Name        string   `json:"name"`
	Namespace   string   `json:"namespace"`
	Path        *string  `json:"path"`
	Allowed     bool     `json:"allowed"`
	Reason      string   `json:"reason"`
	Message     string   `json:"message,omitempty"`
}
type Grant struct {
	User      string              `json:"user"`
	Groups    []string            `json:"groups"`
	Namespace string              `json:"namespace"`
	Rules     []rbacv1.PolicyRule `json:"rules"`
	Message   string              `json:"message"`
}
type Case struct {
	Roles               []*rbacv1.Role               `json:"roles"`
	ClusterRoles        []*rbacv1.ClusterRole        `json:"clusterRoles"`
	RoleBindings        []*rbacv1.RoleBinding        `json:"roleBindings"`
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding `json:"clusterRoleBindings"`
	Queries             []*Query                     `json:"queries"`
	Grants              []*Grant                     `json:"grants"`
}

type getter struct{ *validation.StaticRoles }

func (g getter) GetRole(ctx context.Context, namespace, name string) (*rbacv1.Role, error) {
	if role, err := g.StaticRoles.GetRole(ctx, namespace, name); err == nil {
		return role, nil
	}
	return nil, apierrors.NewNotFound(rbacv1.Resource("role"), name)
}

func (g getter) GetClusterRole(ctx context.Context, name string) (*rbacv1.ClusterRole, error) {
	if role, err := g.StaticRoles.GetClusterRole(ctx, name); err == nil {
		return role, nil
	}
	return nil, apierrors.NewNotFound(rbacv1.Resource("clusterrole"), name)
}

func main() {
	var cases []*Case
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	for _, c := range cases {
		_, static := validation.NewTestRuleResolver(c.Roles, c.RoleBindings, c.ClusterRoles, c.ClusterRoleBindings)
		g := getter{static}
		resolver := validation.NewDefaultRuleResolver(g, g, g, g)
		a := rbac.New(g, g, g, g)
		for _, q := range c.Queries {
			attrs := authorizer.AttributesRecord{User: &user.DefaultInfo{Name: q.User, Groups: q.Groups}, Verb: q.Verb, APIGroup: q.Group, Resource: q.Resource,
				Subresource: q.Subresource, Name: q.Name, Namespace: q.Namespace, ResourceRequest: q.Path == nil}
			if q.Path != nil {
				attrs.Path = *q.Path
			}
			d, reason, _ := a.Authorize(context.Background(), attrs)
			q.Allowed, q.Reason = d == authorizer.DecisionAllow, reason
			if !q.Allowed {
				q.Message = responsewriters.ForbiddenStatusError(attrs, reason).ErrStatus.Message
			}
		}
		for _, g := range c.Grants {
			ctx := genericapirequest.WithUser(context.Background(), &user.DefaultInfo{Name: g.User, Groups: g.Groups})
			ctx = genericapirequest.WithNamespace(ctx, g.Namespace)
			if err := validation.ConfirmNoEscalation(ctx, resolver, g.Rules); err != nil {
				g.Message = err.Error()
			}
		}
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(cases); err != nil {
		panic(err)
	}
}
